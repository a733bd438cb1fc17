import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { l1KeysOf } from "./derived-keys.ts";
import { KeystoreError } from "./errors.ts";
import type { AccountSpec, AccountsSpec, MnemonicSpec, RemoteSigner } from "./file-types.ts";
import { decryptKeyFile } from "./json-v3.ts";
import { EncryptedKeyError } from "./key-file-fields.ts";
import type { PrivateKey } from "./private-key.ts";

/** An L1 account that signs with a local key or through a remote signer. Addresses are lower-case 0x text. */
export type Account =
  | { readonly kind: "local"; readonly address: string; readonly key: PrivateKey }
  | { readonly kind: "remote"; readonly address: string; readonly signer: RemoteSigner };

/**
 * Returns the accounts of a specification in order, reading and decrypting encrypted files. `signer` is the remote
 * signer of addresses that name none. Throws KeystoreError.
 */
export async function resolveAccounts(spec: AccountsSpec, signer: RemoteSigner | undefined): Promise<Account[]> {
  if (spec.kind === "mnemonic") return derivedAccounts(spec);
  const accounts: Account[] = [];
  for (const account of spec.accounts) accounts.push(...(await resolveAccount(account, signer)));
  return accounts;
}

export async function resolveAccount(spec: AccountSpec, signer: RemoteSigner | undefined): Promise<Account[]> {
  switch (spec.kind) {
    case "key":
      return [local(spec.key)];
    case "remote":
      return [{ kind: "remote", address: spec.address, signer: spec.signer }];
    case "address":
      if (signer !== undefined) return [{ kind: "remote", address: spec.address, signer }];
      throw new KeystoreError([{ ...spec.at, rule: "needs a remote signer: an address alone cannot sign" }]);
    case "file":
      return keyFiles(spec);
  }
}

function local(key: PrivateKey): Account {
  return { kind: "local", address: key.address, key };
}

/** Ordered by account, then by address. */
async function derivedAccounts(spec: MnemonicSpec): Promise<Account[]> {
  const keyAt = await l1KeysOf(spec.mnemonic);
  const accounts: Account[] = [];
  for (let account = spec.accountIndex; account < spec.accountIndex + spec.accountCount; account++) {
    for (let address = spec.addressIndex; address < spec.addressIndex + spec.addressCount; address++) {
      accounts.push(local(keyAt(account, address)));
    }
  }
  return accounts;
}

/** One encrypted file, or all of a folder in the order of their names. */
async function keyFiles({ path, password, at }: Extract<AccountSpec, { kind: "file" }>): Promise<Account[]> {
  const broken = (rule: string, cause: unknown) => new KeystoreError([{ ...at, rule }], { cause });
  let paths: string[];
  try {
    paths = statSync(path).isDirectory() ? jsonFilesIn(path) : [path];
  } catch (error) {
    throw broken(`names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  if (paths.length === 0) throw broken(`names ${path}, which holds no .json file`, undefined);
  const accounts = new Map<string, { account: Account; file: string }>();
  for (const file of paths) {
    let account: Account;
    try {
      account = local(await decryptKeyFile(readFileSync(file, "utf8"), password.reveal()));
    } catch (error) {
      throw broken(`names ${file}, which ${keyFileRule(error)}`, error);
    }
    const first = accounts.get(account.address);
    if (first !== undefined) {
      throw broken(`names ${file}, which holds the key of ${account.address}, as ${first.file} does`, undefined);
    }
    accounts.set(account.address, { account, file });
  }
  return [...accounts.values()].map(({ account }) => account);
}

/** The rule that a key file breaks, as a clause without secrets. */
export function keyFileRule(error: unknown): string {
  if (error instanceof EncryptedKeyError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? "cannot be decrypted" : `cannot be read (${code})`;
}

/** Paths of the .json files of a folder, also .JSON, in the order of their names. File system errors pass through. */
export function jsonFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.json$/i.test(name))
    .sort()
    .map((name) => join(folder, name));
}
