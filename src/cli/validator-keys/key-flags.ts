import { homedir } from "node:os";
import { join } from "node:path";
import { DEFAULT_BLS_PATH } from "../../keystore/bls-key.ts";
import { isMnemonic, newMnemonic } from "../../keystore/derived-keys.ts";
import { PrivateKey, SecretText } from "../../keystore/private-key.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { isCanonicalFr } from "../../protocol/field.ts";
import { isL1AddressText, l1AddressDigits } from "../../protocol/l1-address-text.ts";
import { KeyCommandError } from "./errors.ts";
import type { NewKeys } from "./new-entries.ts";
import { readSecret } from "./secret-input.ts";

/** Flags of the commands that write keystores, as commander gives them. */
export interface OutputFlags {
  dataDir?: string;
  file?: string;
  encryptedKeystoreDir?: string;
  password?: boolean;
  passwordFile?: string;
  coinbase?: string;
  feeRecipient?: string;
  json?: boolean;
}

/** Flags of the commands that make keys. */
export interface MakeFlags extends OutputFlags {
  count?: string;
  publisherCount?: string;
  publishersFile?: string;
  mnemonic?: boolean;
  mnemonicFile?: string;
  passphrase?: boolean;
  passphraseFile?: string;
  ikmFile?: string;
  accountIndex?: string;
  addressIndex?: string;
  blsPath?: string;
  remoteSigner?: string;
}

const MAX_VALIDATORS = 10_000;
const MAX_INDEX = 2 ** 31 - 1;

export const defaultFolder = (): string => join(homedir(), ".svc", "keystore");

function whole(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new KeyCommandError(flag, `must be a whole number from ${least} to ${most}`);
}

/** Lower-case 0x text. */
export function l1AddressFlag(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!isL1AddressText(text)) throw new KeyCommandError(flag, "must be an L1 address: 0x and 40 hex digits");
  const digits = l1AddressDigits(text);
  if (digits === undefined) throw new KeyCommandError(flag, "mixes upper and lower case against its checksum (EIP-55)");
  return `0x${digits}`;
}

/** Lower-case 0x text. */
export function l2AddressFlag(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1].toLowerCase();
  if (digits !== undefined && isCanonicalFr(fromHex(`0x${digits}`))) return `0x${digits}`;
  throw new KeyCommandError(flag, "must be an L2 address: 0x and 64 hex digits of a field element");
}

function httpUrlFlag(flag: string, text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new KeyCommandError(flag, "must be an http or https URL");
}

/** The password of new encrypted files; undefined: keys are written in plain. */
export function newPassword({ password, passwordFile }: OutputFlags): Promise<SecretText | undefined> {
  return readSecret({ flag: "--password", ask: password, file: passwordFile, twice: true });
}

/** A private key in hex, with 0x or without. `subject` names its place in errors. */
export function privateKeyText(subject: string, text: string): PrivateKey {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  try {
    if (digits !== undefined) return new PrivateKey(fromHex(`0x${digits}`));
  } catch {
    // Out of range, which the error below says too.
  }
  throw new KeyCommandError(subject, "must be a private key: 0x and 64 hex digits, below the order of secp256k1");
}

/** The mnemonic that flags give, if they give one. Throws KeyCommandError. */
export async function givenMnemonic({
  mnemonic,
  mnemonicFile,
}: Pick<MakeFlags, "mnemonic" | "mnemonicFile">): Promise<SecretText | undefined> {
  const given = await readSecret({ flag: "--mnemonic", ask: mnemonic, file: mnemonicFile });
  if (given === undefined) return undefined;
  const words = given.reveal().trim().split(/\s+/).join(" ");
  if (isMnemonic(words)) return new SecretText(words);
  throw new KeyCommandError("--mnemonic", "must be an English BIP-39 mnemonic with a valid checksum");
}

async function mnemonicOf(flags: MakeFlags): Promise<{ mnemonic: SecretText; generated: boolean }> {
  const given = await givenMnemonic(flags);
  return { mnemonic: given ?? newMnemonic(), generated: given === undefined };
}

/** A derivation path of a BLS key. Throws KeyCommandError. */
export function blsPathFlag(text: string | undefined): string | undefined {
  if (text === undefined || /^m(\/\d+)+$/.test(text)) return text;
  throw new KeyCommandError("--bls-path", "must look like m/12381/3600/0/0/0");
}

export async function materialOf(flags: Pick<MakeFlags, "ikmFile">): Promise<Uint8Array | undefined> {
  const text = await readSecret({ flag: "--ikm", ask: false, file: flags.ikmFile });
  if (text === undefined) return undefined;
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.reveal().trim())?.[1];
  if (digits !== undefined) return fromHex(`0x${digits}`);
  throw new KeyCommandError("--ikm-file", "must hold 32 bytes in hex");
}

async function publishersOf(flags: MakeFlags): Promise<PrivateKey[]> {
  const text = await readSecret({ flag: "--publishers", ask: false, file: flags.publishersFile });
  const lines = (text?.reveal() ?? "").split(/[\s,]+/).filter((line) => line !== "");
  if (text !== undefined && lines.length === 0)
    throw new KeyCommandError("--publishers-file", "must hold a private key");
  return lines.map((line, i) => privateKeyText(`--publishers-file: key ${i + 1}`, line));
}

/** Values that new validators take from the keystore they are added to, unless the flags say otherwise. */
interface Inherited {
  addressIndex: number;
  coinbase?: string;
  feeRecipient?: string;
  remoteSigner?: string;
}

interface KeyRequest extends NewKeys {
  /** Whether the mnemonic is a new one, which its owner has to write down. */
  generated: boolean;
}

/** Checks flags against each other before any secret is asked for. Throws KeyCommandError. */
export async function keyRequest(flags: MakeFlags, inherited: Inherited): Promise<KeyRequest> {
  const count = whole("--count", flags.count, 1, MAX_VALIDATORS) ?? 1;
  const publisherCount = whole("--publisher-count", flags.publisherCount, 0, MAX_VALIDATORS) ?? 0;
  const accountIndex = whole("--account-index", flags.accountIndex, 0, MAX_INDEX) ?? 0;
  const addressIndex = whole("--address-index", flags.addressIndex, 0, MAX_INDEX) ?? inherited.addressIndex;
  const feeRecipient = l2AddressFlag("--fee-recipient", flags.feeRecipient) ?? inherited.feeRecipient;
  if (feeRecipient === undefined) throw new KeyCommandError("--fee-recipient", "is required");
  const remoteSigner =
    flags.remoteSigner === undefined ? inherited.remoteSigner : httpUrlFlag("--remote-signer", flags.remoteSigner);
  const coinbase = l1AddressFlag("--coinbase", flags.coinbase) ?? inherited.coinbase;
  if (count * (1 + publisherCount) > MAX_VALIDATORS) {
    throw new KeyCommandError("--publisher-count", `and --count ask for more than ${MAX_VALIDATORS} accounts`);
  }
  if (publisherCount > 0 && flags.publishersFile !== undefined) {
    throw new KeyCommandError("--publisher-count", "and --publishers-file exclude each other");
  }
  if ((blsPathFlag(flags.blsPath) ?? DEFAULT_BLS_PATH) !== DEFAULT_BLS_PATH) {
    const moved = flags.accountIndex !== undefined || flags.addressIndex !== undefined;
    if (count !== 1 || publisherCount > 0 || moved) {
      const others = "--count, --publisher-count, --account-index or --address-index";
      throw new KeyCommandError("--bls-path", `cannot be used with ${others}: it is the path of one key`);
    }
  }
  if (remoteSigner !== undefined && !flags.mnemonic && flags.mnemonicFile === undefined) {
    throw new KeyCommandError(
      "--remote-signer",
      "needs the mnemonic whose keys the signer holds: give --mnemonic-file",
    );
  }
  return {
    count,
    publisherCount,
    accountIndex,
    addressIndex,
    blsPath: flags.blsPath === DEFAULT_BLS_PATH ? undefined : flags.blsPath,
    coinbase,
    feeRecipient,
    remoteSigner,
    publishers: await publishersOf(flags),
    material: await materialOf(flags),
    ...(await mnemonicOf(flags)),
    passphrase: await readSecret({ flag: "--passphrase", ask: flags.passphrase, file: flags.passphraseFile }),
  };
}
