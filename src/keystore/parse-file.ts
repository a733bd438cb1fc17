import { dirname, resolve } from "node:path";
import { JsonField, type JsonPlace } from "../json/json-field.ts";
import { fromHex } from "../protocol/bytes.ts";
import { isCanonicalFr } from "../protocol/field.ts";
import { isL1AddressText, l1AddressDigits } from "../protocol/l1-address-text.ts";
import { isMnemonic } from "./derived-keys.ts";
import { KeystoreError, type KeystoreIssue } from "./errors.ts";
import type {
  AccountSpec,
  AccountsSpec,
  AttesterItem,
  AttesterSpec,
  BlsSpec,
  KeystoreFile,
  MnemonicSpec,
  ProverSpec,
  RemoteSigner,
  ValidatorSpec,
} from "./file-types.ts";
import { PrivateKey, SecretText } from "./private-key.ts";

const COMMON_KEYS = ["schemaVersion", "validators", "slasher", "remoteSigner", "prover", "fundingAccount"];
const VERSION_2_KEYS = ["publisher", "coinbase", "feeRecipient"];
const VALIDATOR_KEYS = ["attester", "coinbase", "publisher", "feeRecipient", "remoteSigner", "fundingAccount"];
const MNEMONIC_KEYS = ["mnemonic", "addressIndex", "accountIndex", "addressCount", "accountCount"];

/** More derived accounts than this are treated as a mistake. */
const MAX_DERIVED_ACCOUNTS = 10_000;

/**
 * Parses the text of a keystore file (docs/protocol/08-building-and-checkpoints.md#826-keys). Unknown keys are refused,
 * and one error names all broken rules. Paths in it are relative to the file's folder. No other file is read. Throws
 * KeystoreError.
 */
export function parseKeystoreFile(text: string, path: string): KeystoreFile {
  const issues: KeystoreIssue[] = [];
  const refuse = () => {
    if (issues.length > 0) throw new KeystoreError(issues);
  };
  const json = JsonField.parse(text, path, (at, rule) => void issues.push({ ...placeOf(at), rule }));
  refuse();
  const file = readFile(json, path);
  refuse();
  return file;
}

function placeOf({ source, field }: JsonPlace): { file: string; field: string } {
  return { file: source, field };
}

function readFile(root: JsonField, path: string): KeystoreFile {
  const version = root.key("schemaVersion");
  const schemaVersion = version.value;
  if (schemaVersion !== 1 && schemaVersion !== 2) {
    if (!root.isObject()) return root.broken("must be an object");
    return version.broken("must be 1 or 2");
  }
  root.object(schemaVersion === 1 ? COMMON_KEYS : [...COMMON_KEYS, ...VERSION_2_KEYS]);
  const defaults = schemaVersion === 2;
  const file: KeystoreFile = {
    path,
    schemaVersion,
    validators: readValidators(root, schemaVersion),
    slasher: root.key("slasher").optional(readAccounts),
    remoteSigner: root.key("remoteSigner").optional(readRemoteSigner),
    prover: root.key("prover").optional(readProver),
    fundingAccount: root.key("fundingAccount").optional(readAccount),
    publisher: defaults ? root.key("publisher").optional(readAccounts) : undefined,
    coinbase: defaults ? root.key("coinbase").optional(readL1Address) : undefined,
    feeRecipient: defaults ? root.key("feeRecipient").optional(readL2Address) : undefined,
  };
  if (file.validators?.length === 0 && file.prover === undefined) {
    root.broken("Keystore must have at least validators or prover configuration");
  }
  return file;
}

function readValidators(root: JsonField, schemaVersion: 1 | 2): ValidatorSpec[] {
  const field = root.key("validators");
  if (!field.given) return [];
  if (!Array.isArray(field.value)) return field.broken("must be a list");
  const validators = field.items().map((item) => readValidator(item, schemaVersion));
  if (schemaVersion === 2 && !root.has("feeRecipient") && field.items().some((item) => !item.has("feeRecipient"))) {
    root.broken("Each validator must have a feeRecipient, or a top-level feeRecipient must be set for all validators");
  }
  return validators;
}

function readValidator(entry: JsonField, schemaVersion: 1 | 2): ValidatorSpec {
  if (!entry.object(VALIDATOR_KEYS)) return entry.value as never;
  const feeRecipient = entry.key("feeRecipient");
  if (schemaVersion === 1 && !feeRecipient.given) feeRecipient.broken("is required");
  const attester = entry.key("attester");
  return {
    at: placeOf(entry),
    attester: attester.given ? readAttester(attester) : attester.broken("is required"),
    coinbase: entry.key("coinbase").optional(readL1Address),
    publisher: entry.key("publisher").optional(readAccounts),
    feeRecipient: feeRecipient.optional(readL2Address),
    remoteSigner: entry.key("remoteSigner").optional(readRemoteSigner),
    fundingAccount: entry.key("fundingAccount").optional(readAccount),
  };
}

function readAttester(field: JsonField): AttesterSpec {
  if (field.has("mnemonic")) return readMnemonic(field);
  return { kind: "list", attesters: listOf(field).map(readAttesterItem) };
}

function readAttesterItem(field: JsonField): AttesterItem {
  if (!field.has("eth")) return { eth: readAccount(field) };
  field.object(["eth", "bls"]);
  return { eth: readAccount(field.key("eth")), bls: field.key("bls").optional(readBls) };
}

function readAccounts(field: JsonField): AccountsSpec {
  if (field.has("mnemonic")) return readMnemonic(field);
  return { kind: "list", accounts: listOf(field).map(readAccount) };
}

/** The items of a non-empty array; a value that is not an array counts as its single item. */
function listOf(field: JsonField): JsonField[] {
  if (!Array.isArray(field.value)) return [field];
  if (field.value.length === 0) field.broken("must not be empty");
  return field.items();
}

function readAccount(field: JsonField): AccountSpec {
  const { value } = field;
  if (typeof value === "string") return readAccountText(field, value);
  if (field.has("path")) {
    field.object(["path", "password"]);
    const path = resolve(dirname(field.source), field.key("path").text() ?? "");
    return { kind: "file", path, password: readSecret(field.key("password")), at: placeOf(field) };
  }
  if (field.has("address")) {
    field.object(["address", "remoteSignerUrl", "certPath", "certPass"]);
    return { kind: "remote", address: readL1Address(field.key("address")), signer: readSigner(field) };
  }
  return field.broken(
    "must be a private key, an address, an object with address and remoteSignerUrl, or one with path and password",
  );
}

function readAccountText(field: JsonField, text: string): AccountSpec {
  if (isL1AddressText(text)) return { kind: "address", address: readL1Address(field), at: placeOf(field) };
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) return field.broken("Invalid private key (must be 32 bytes with 0x prefix)");
  try {
    return { kind: "key", key: new PrivateKey(fromHex(text)) };
  } catch {
    return field.broken("Invalid private key (must be from 1 to the order of secp256k1)");
  }
}

function readSecret(field: JsonField): SecretText {
  return new SecretText(field.given ? field.text() : "");
}

function readMnemonic(field: JsonField): MnemonicSpec {
  field.object(MNEMONIC_KEYS);
  const words = field.key("mnemonic");
  const mnemonic = words.text()?.trim();
  if (mnemonic !== undefined && !isMnemonic(mnemonic)) {
    words.broken("must be an English BIP-39 mnemonic with a valid checksum");
  }
  const spec: MnemonicSpec = {
    kind: "mnemonic",
    mnemonic: new SecretText(mnemonic),
    addressIndex: readIndex(field.key("addressIndex"), 0),
    accountIndex: readIndex(field.key("accountIndex"), 0),
    addressCount: readIndex(field.key("addressCount"), 1),
    accountCount: readIndex(field.key("accountCount"), 1),
  };
  if (spec.addressCount * spec.accountCount > MAX_DERIVED_ACCOUNTS) {
    field.broken(`must derive at most ${MAX_DERIVED_ACCOUNTS} accounts`);
  }
  return spec;
}

function readBls(field: JsonField): BlsSpec {
  if (field.has("path")) {
    field.object(["path", "password"]);
    const path = resolve(dirname(field.source), field.key("path").text() ?? "");
    return { kind: "file", path, password: readSecret(field.key("password")), at: placeOf(field) };
  }
  const { value } = field;
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) {
    return { kind: "key", key: new SecretText(value), at: placeOf(field) };
  }
  return field.broken("must be 0x and 64 hex digits, or an object with path and password");
}

function readProver(field: JsonField): ProverSpec {
  if (!field.has("publisher") && !field.has("id")) {
    return { publisher: { kind: "list", accounts: [readAccount(field)] } };
  }
  field.object(["id", "publisher"]);
  const [id, publisher] = [field.key("id"), field.key("publisher")];
  return {
    id: id.given ? readL1Address(id) : id.broken("is required"),
    publisher: publisher.given ? readAccounts(publisher) : publisher.broken("is required"),
  };
}

function readRemoteSigner(field: JsonField): RemoteSigner {
  if (typeof field.value === "string") return { url: readUrl(field) };
  if (!field.object(["remoteSignerUrl", "certPath", "certPass"])) return field.value as never;
  return readSigner(field);
}

function readSigner(field: JsonField): RemoteSigner {
  const url = field.key("remoteSignerUrl");
  return {
    url: url.given ? readUrl(url) : url.broken("is required"),
    certPath: field.key("certPath").optional((path) => path.text()),
    certPass: field.key("certPass").optional(readSecret),
  };
}

function readUrl(field: JsonField): string {
  const text = typeof field.value === "string" ? field.value : "";
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  return field.broken("must be an http or https URL");
}

/** A canonical field element of 32 bytes, as lower-case 0x text. */
function readL2Address(field: JsonField): string {
  const digits = typeof field.value === "string" && /^(?:0x)?([0-9a-fA-F]{64})$/.exec(field.value)?.[1].toLowerCase();
  if (digits && isCanonicalFr(fromHex(`0x${digits}`))) return `0x${digits}`;
  return field.broken("must be 64 hex digits of a field element, with 0x or without");
}

/** Derived accounts are numbered and counted below 2^31 (BIP-32). */
function readIndex(field: JsonField, least: number): number {
  return field.optional(() => field.whole(least, 2 ** 31 - 1)) ?? least;
}

/** Lower-case 0x text. Mixed case must have the checksum of EIP-55, which catches mistyped digits. */
function readL1Address(field: JsonField): string {
  const { value } = field;
  if (typeof value !== "string" || !isL1AddressText(value))
    return field.broken("must be 40 hex digits, with 0x or without");
  const digits = l1AddressDigits(value);
  return digits === undefined
    ? field.broken("mixes upper and lower case against its checksum (EIP-55)")
    : `0x${digits}`;
}
