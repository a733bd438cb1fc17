import { join } from "node:path";
import { BlsKey } from "../../keystore/bls-key.ts";
import { encryptBlsKeyFile } from "../../keystore/bls-key-file.ts";
import { encryptKeyFile } from "../../keystore/json-v3.ts";
import { PrivateKey, type SecretText } from "../../keystore/private-key.ts";
import { fromHex } from "../../protocol/bytes.ts";
import type { NewFiles } from "./key-folder.ts";

interface Sealing {
  files: NewFiles;
  /** Folder of the encrypted files. */
  folder: string;
  password: SecretText;
}

const isKey = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Moves the plain keys of a keystore's validators into encrypted files: JSON V3 for L1 keys, EIP-2335 for BLS keys. The
 * entries then name path and password. `validators` is the parsed JSON of checked entries; the result is a copy.
 */
export async function sealKeys(validators: readonly unknown[], sealing: Sealing): Promise<unknown[]> {
  const sealed: unknown[] = [];
  for (const [i, validator] of validators.entries()) {
    if (!isObject(validator)) throw new TypeError("a checked validator is an object");
    const copy = { ...validator };
    copy.attester = await sealEach(copy.attester, `attester_${i + 1}`, sealing);
    if ("publisher" in copy) copy.publisher = await sealEach(copy.publisher, `publisher_${i + 1}`, sealing);
    sealed.push(copy);
  }
  return sealed;
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
  if (!isKey(account)) return account;
  const key = new PrivateKey(fromHex(account));
  const path = join(folder, `keystore-eth-${label}_${key.address.slice(2, 10)}.json`);
  files.write(path, await encryptKeyFile(key, password.reveal()));
  return { path, password: password.reveal() };
}

async function sealBls(secret: string, label: string, { files, folder, password }: Sealing): Promise<unknown> {
  const key = new BlsKey(fromHex(secret));
  const path = join(folder, `keystore-bls-${label}_${key.publicKey.slice(2, 18)}.json`);
  files.write(path, await encryptBlsKeyFile(key, password.reveal()));
  return { path, password: password.reveal() };
}
