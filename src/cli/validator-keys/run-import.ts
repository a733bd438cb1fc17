import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { jsonFilesIn, keyFileRule } from "../../keystore/accounts.ts";
import { BlsKey } from "../../keystore/bls-key.ts";
import { decryptKeyFile } from "../../keystore/json-v3.ts";
import { readKeystore } from "../../keystore/load-keystore.ts";
import type { SecretText } from "../../keystore/private-key.ts";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { KeyCommandError } from "./errors.ts";
import {
  defaultFolder,
  l1AddressFlag,
  l2AddressFlag,
  newPassword,
  type OutputFlags,
  privateKeyText,
} from "./key-flags.ts";
import { allOrNoFiles, encryptedFolder, newKeystorePath } from "./key-folder.ts";
import { keystoreJson, keystoreText, movedFrom, readText } from "./keystore-json.ts";
import { type NewValidator, validator } from "./new-entries.ts";
import { validatorFacts } from "./report.ts";
import { printWritten } from "./run-new.ts";
import { sealKeys } from "./seal-keys.ts";
import { readSecret } from "./secret-input.ts";

export interface ImportFlags extends OutputFlags {
  keyPassword?: boolean;
  keyPasswordFile?: string;
  relativeTo?: string;
}

function keyFilesOf(path: string): string[] {
  let paths: string[];
  try {
    paths = statSync(path).isDirectory() ? jsonFilesIn(path) : [path];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyCommandError(path, `cannot be read (${code})`, { cause: error });
  }
  if (paths.length === 0) throw new KeyCommandError(path, "holds no .json file");
  return paths;
}

/** The object in a JSON text; undefined if the text is none. */
function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Imports keys as a new keystore file: a keystore file of another node, encrypted V3 files (one or a folder), or a text
 * of private keys. Throws KeyCommandError or KeystoreError.
 */
export async function runImport(source: string, flags: ImportFlags): Promise<void> {
  const path = resolve(source);
  const paths = keyFilesOf(path);
  const first = jsonObject(readText(paths[0]));
  if (first !== undefined && "schemaVersion" in first) return importKeystore(path, flags);
  const terms = termsOf(flags);
  const made = first === undefined ? plainKeys(path, terms) : await encryptedKeys(paths, terms, flags);
  await writeKeystore(made, flags);
}

interface Terms {
  feeRecipient: string;
  coinbase: string | undefined;
}

function termsOf(flags: ImportFlags): Terms {
  const feeRecipient = l2AddressFlag("--fee-recipient", flags.feeRecipient);
  if (feeRecipient === undefined) throw new KeyCommandError("--fee-recipient", "is required");
  return { feeRecipient, coinbase: l1AddressFlag("--coinbase", flags.coinbase) };
}

/** One validator a line: its L1 key, and its BLS key if it has one. Lines that begin with # are comments. */
function plainKeys(path: string, terms: Terms): NewValidator[] {
  const made: NewValidator[] = [];
  for (const [i, line] of readText(path).split(/\r?\n/).entries()) {
    const [key, bls, ...more] = line.trim().split(/\s+/);
    if (key === "" || key.startsWith("#")) continue;
    const place = `${path} line ${i + 1}`;
    if (more.length > 0) throw new KeyCommandError(place, "must hold an L1 key and, if wanted, a BLS key");
    const attester = privateKeyText(place, key);
    const entry = toHex(attester.reveal());
    made.push(validator(terms, { key: attester, entry }, bls === undefined ? undefined : blsKeyText(place, bls), []));
  }
  if (made.length === 0) throw new KeyCommandError(path, "holds no private key");
  return made;
}

function blsKeyText(place: string, text: string): BlsKey {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  try {
    if (digits !== undefined) return new BlsKey(fromHex(`0x${digits}`));
  } catch {
    // Out of range, which the error below says too.
  }
  throw new KeyCommandError(place, "must have a BLS key of 0x and 64 hex digits, below the order of BN254's groups");
}

/** Encrypted files stay where they are; the keystore names them with their password. */
async function encryptedKeys(paths: readonly string[], terms: Terms, flags: ImportFlags): Promise<NewValidator[]> {
  const { keyPassword: ask, keyPasswordFile: file } = flags;
  const password = await readSecret({ flag: "--key-password", ask, file });
  if (password === undefined) {
    throw new KeyCommandError(paths[0], "is encrypted: give --key-password or --key-password-file");
  }
  const made: NewValidator[] = [];
  for (const path of paths) made.push(await encryptedKey(path, password, terms));
  return made;
}

async function encryptedKey(path: string, password: SecretText, terms: Terms): Promise<NewValidator> {
  try {
    const key = await decryptKeyFile(readText(path), password.reveal());
    return validator(terms, { key, entry: { path, password: password.reveal() } }, undefined, []);
  } catch (error) {
    if (error instanceof KeyCommandError) throw error;
    throw new KeyCommandError(path, keyFileRule(error), { cause: error });
  }
}

async function writeKeystore(made: readonly NewValidator[], flags: ImportFlags): Promise<void> {
  const attesters = made.map(({ summary }) => summary.attester);
  const twice = attesters.find((address, i) => attesters.indexOf(address) !== i);
  if (twice !== undefined) throw new KeyCommandError("the source", `holds the key of ${twice} twice`);
  const password = await newPassword(flags);
  const file = newKeystorePath(flags.dataDir ?? defaultFolder(), flags.file);
  await allOrNoFiles(async (files) => {
    const keystore = { schemaVersion: 1, validators: made.map(({ entry }) => entry) };
    const folder = encryptedFolder(file, flags.encryptedKeystoreDir);
    const written = password === undefined ? keystore : await sealKeys(keystore, { files, folder, password });
    files.write(file, keystoreText(written));
  });
  printWritten({ file, validators: made.map(({ summary }) => summary) }, flags.json);
}

/** Copies a keystore file with absolute paths. What it names must be readable. */
async function importKeystore(path: string, flags: ImportFlags): Promise<void> {
  for (const [flag, value] of Object.entries({ "--fee-recipient": flags.feeRecipient, "--coinbase": flags.coinbase })) {
    if (value !== undefined) throw new KeyCommandError(flag, "is for keys alone: a keystore names its own");
  }
  const json = movedFrom(resolve(flags.relativeTo ?? dirname(path)), keystoreJson(path).json);
  const password = await newPassword(flags);
  const file = newKeystorePath(flags.dataDir ?? defaultFolder(), flags.file);
  const keystore = await allOrNoFiles(async (files) => {
    const folder = encryptedFolder(file, flags.encryptedKeystoreDir);
    const written = password === undefined ? json : await sealKeys(json, { files, folder, password });
    files.write(file, keystoreText(written));
    return readKeystore(file, () => {});
  });
  const facts = await validatorFacts(keystore);
  const validators = facts.map(({ attester, bls, publishers }) => ({
    attester: attester.address,
    bls: bls ?? undefined,
    publishers: publishers.map(({ address }) => address),
  }));
  printWritten({ file, validators }, flags.json);
}
