import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readKeystore } from "../keystore/load-keystore.ts";
import { PrivateKey } from "../keystore/private-key.ts";
import { resolveBlsKey } from "../keystore/resolve-bls.ts";
import type { InitialValidator } from "../l1/deploy/validators.ts";
import { toHex } from "../protocol/bytes.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { replaceFile } from "../storage/replace-file.ts";
import { DevnetError } from "./errors.ts";
import type { DevnetFolder } from "./folder.ts";

/** L2 address that gets the fees of every block. */
const FEE_RECIPIENT = `0x${"0b".repeat(32)}`;
const KEYSTORE_FILE = "key1.json";
const ALL = "all";

/** How this program is run: arguments of the runtime, then the file. */
export type Program = readonly string[];

/** Validator and L1 accounts of a keystore that a devnet made. Addresses are lower-case 0x text. */
interface OwnKeys {
  attester: string;
  publishers: string[];
  initial: InitialValidator;
}

function writeKeystore(folder: string, keystore: object): void {
  makeFolder(folder, 0o700);
  replaceFile(join(folder, KEYSTORE_FILE), `${JSON.stringify(keystore, undefined, 2)}\n`);
}

export function hasKeys(name: string, folder: DevnetFolder): boolean {
  return existsSync(join(folder.keys(name), KEYSTORE_FILE));
}

/** Makes a keystore with one validator for each name, by `svc validator-keys`. Throws a DevnetError. */
export async function makeValidatorKeys(
  names: readonly string[],
  folder: DevnetFolder,
  program: Program,
): Promise<void> {
  const all = folder.keys(ALL);
  // Left by a start that was killed.
  rmSync(all, { recursive: true, force: true });
  if (names.every((name) => hasKeys(name, folder))) return;
  const args = [
    ...["validator-keys", "new", "--count", String(names.length), "--publisher-count", "1"],
    ...["--fee-recipient", FEE_RECIPIENT, "--data-dir", all, "--file", KEYSTORE_FILE, "--json"],
  ];
  try {
    // The answer has the mnemonic, which nobody needs: the keystores are the only copies of the keys.
    await promisify(execFile)(process.execPath, [...program, ...args]);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new DevnetError(`svc validator-keys made no keys: ${stderr?.trim() ?? ""}`, { cause: error });
  }
  const { validators } = JSON.parse(readFileSync(join(all, KEYSTORE_FILE), "utf8")) as { validators: unknown[] };
  for (const [i, name] of names.entries()) {
    writeKeystore(folder.keys(name), { schemaVersion: 1, validators: [validators[i]] });
  }
  rmSync(all, { recursive: true });
}

/** The keys of a validator. Throws KeystoreError. */
export async function validatorKeys(name: string, folder: DevnetFolder): Promise<OwnKeys> {
  const keystore = await readKeystore(join(folder.keys(name), KEYSTORE_FILE), () => {});
  const [attester] = keystore.attesterAddresses();
  const bls = attester === undefined ? undefined : keystore.blsKeyOf(attester);
  if (bls === undefined) throw new DevnetError(`${folder.keys(name)} must have a validator with a BLS key`);
  const blsSecretKey = (await resolveBlsKey(bls)).reveal();
  return {
    attester,
    publishers: keystore.publishersOf(attester).map(({ address }) => address),
    initial: { attester, withdrawer: attester, blsSecretKey },
  };
}

/** Makes the keystore of a prover node, unless there is one. Returns its publisher. Throws KeystoreError. */
export async function proverKeys(name: string, folder: DevnetFolder): Promise<string> {
  const path = folder.keys(name);
  if (!hasKeys(name, folder)) {
    const key = new PrivateKey(randomBytes(32));
    writeKeystore(path, { schemaVersion: 1, prover: { id: key.address, publisher: [toHex(key.reveal())] } });
  }
  const { prover } = await readKeystore(join(path, KEYSTORE_FILE), () => {});
  if (prover === undefined) throw new DevnetError(`${path} must have the keys of a prover`);
  return prover.publishers[0].address;
}
