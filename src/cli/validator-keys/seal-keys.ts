import { join } from "node:path";
import { isObject } from "../../json/json-field.ts";
import { BlsKey } from "../../keystore/bls-key.ts";
import { encryptBlsKeyFile } from "../../keystore/bls-key-file.ts";
import { encryptKeyFile } from "../../keystore/json-v3.ts";
import { PrivateKey, type SecretText } from "../../keystore/private-key.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { KeyCommandError } from "./errors.ts";
import type { NewFiles } from "./key-folder.ts";

interface Sealing {
  files: NewFiles;
  /** Folder of the encrypted files. */
  folder: string;
  password: SecretText;
}

const isKey = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value);

/** Members of a keystore, and of a validator, that hold accounts. */
const ACCOUNTS = ["attester", "publisher", "slasher", "prover", "fundingAccount"];

/**
 * Moves the plain keys of a keystore into encrypted files: JSON V3 for L1 keys, EIP-2335 for BLS keys. The entries then
 * name path and password. Mnemonics stay. `keystore` is the parsed JSON of a checked file; the result is a copy. Throws
 * KeyCommandError.
 */
export async function sealKeys(keystore: object, sealing: Sealing): Promise<Record<string, unknown>> {
  const sealed = await sealMembers({ ...keystore }, "", sealing);
  const { validators } = sealed;
  if (!Array.isArray(validators)) return sealed;
  sealed.validators = [];
  for (const [i, validator] of validators.entries()) {
    (sealed.validators as unknown[]).push(await sealMembers({ ...validator }, `_${i + 1}`, sealing));
  }
  return sealed;
}

async function sealMembers(
  members: Record<string, unknown>,
  suffix: string,
  sealing: Sealing,
): Promise<Record<string, unknown>> {
  for (const name of ACCOUNTS) {
    if (members[name] === undefined) continue;
    members[name] = await sealEach(members[name], `${name}${suffix}`, sealing);
  }
  return members;
}

/** One account, or a list of them. */
async function sealEach(accounts: unknown, label: string, sealing: Sealing): Promise<unknown> {
  if (!Array.isArray(accounts)) return sealAccount(accounts, label, sealing);
  const sealed: unknown[] = [];
  for (const [i, account] of accounts.entries()) sealed.push(await sealAccount(account, `${label}_${i + 1}`, sealing));
  return sealed;
}

async function sealAccount(account: unknown, label: string, sealing: Sealing): Promise<unknown> {
  const { files, folder, password } = sealing;
  if (isObject(account) && "eth" in account) {
    const eth = await sealAccount(account.eth, label, sealing);
    return isKey(account.bls)
      ? { ...account, eth, bls: await sealBls(account.bls, label, sealing) }
      : { ...account, eth };
  }
  if (isObject(account) && "publisher" in account) {
    return { ...account, publisher: await sealEach(account.publisher, label, sealing) };
  }
  if (!isKey(account)) return account;
  const key = new PrivateKey(fromHex(account));
  const path = join(folder, `keystore-eth-${label}_${key.address.slice(2, 10)}.json`);
  files.write(path, await encryptKeyFile(key, password.reveal()));
  return { path, password: password.reveal() };
}

async function sealBls(secret: string, label: string, { files, folder, password }: Sealing): Promise<unknown> {
  const key = checkedBlsKey(secret, label);
  const path = join(folder, `keystore-bls-${label}_${key.publicKey.slice(2, 18)}.json`);
  files.write(path, await encryptBlsKeyFile(key, password.reveal()));
  return { path, password: password.reveal() };
}

function checkedBlsKey(secret: string, label: string): BlsKey {
  try {
    return new BlsKey(fromHex(secret));
  } catch {
    throw new KeyCommandError(label.replaceAll("_", " "), "has a BLS key beyond the order of BN254's groups");
  }
}
