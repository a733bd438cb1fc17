import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { KeystoreFile } from "../../keystore/file-types.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import { readKeystore } from "../../keystore/load-keystore.ts";
import { parseKeystoreFile } from "../../keystore/parse-file.ts";
import { replaceFile } from "../../storage/replace-file.ts";
import { KeyCommandError } from "./errors.ts";
import { keyRequest, type MakeFlags, newPassword } from "./key-flags.ts";
import { allOrNoFiles, encryptedFolder, newKeystorePath } from "./key-folder.ts";
import { type NewValidator, newValidators } from "./new-entries.ts";
import { printWritten, shownMnemonic } from "./run-new.ts";
import { sealKeys } from "./seal-keys.ts";

/** The parsed JSON of a keystore file that was checked. */
interface KeystoreJson {
  validators?: unknown[];
}

/** Reads and checks one keystore file. Throws KeyCommandError or KeystoreError. */
export function keystoreJson(path: string): { file: KeystoreFile; json: KeystoreJson } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyCommandError(path, `cannot be read (${code})`, { cause: error });
  }
  return { file: parseKeystoreFile(text, path), json: JSON.parse(text) as KeystoreJson };
}

/** URL of the remote signer that the first validator names for its first attester. */
function firstSigner({ validators: [first] }: KeystoreFile): string | undefined {
  if (first?.attester.kind !== "list") return undefined;
  const [{ eth }] = first.attester.attesters;
  return eth.kind === "remote" ? eth.signer.url : undefined;
}

/** An attester is in a keystore once, and does not publish for others. Throws KeyCommandError. */
function refuseKnownAccounts(path: string, known: Keystore, made: readonly NewValidator[]): void {
  const publishers = new Set(known.publisherAddresses());
  for (const { summary } of made) {
    const address = summary.attester.toLowerCase();
    const role = known.attester(address) !== undefined ? "attester" : publishers.has(address) ? "publisher" : undefined;
    if (role === undefined) continue;
    throw new KeyCommandError(path, `has ${role} ${summary.attester} already: give another --address-index`);
  }
}

/** Adds validators to a keystore file, which is replaced at once. Throws KeyCommandError or KeystoreError. */
export async function runAdd(existing: string, flags: MakeFlags): Promise<void> {
  const path = resolve(existing);
  const { file, json } = keystoreJson(path);
  const [first] = file.validators;
  const request = await keyRequest(flags, {
    addressIndex: file.validators.length,
    coinbase: first?.coinbase,
    feeRecipient: first?.feeRecipient ?? file.feeRecipient,
    remoteSigner: firstSigner(file),
  });
  const password = await newPassword(flags);
  const made = await newValidators(request);
  const known = await readKeystore(path, () => {});
  refuseKnownAccounts(path, known, made);
  const target = flags.file === undefined ? path : newKeystorePath(flags.dataDir ?? dirname(path), flags.file);
  await allOrNoFiles(async (files) => {
    const validators = [...(json.validators ?? []), ...made.map(({ entry }) => entry)];
    const folder = encryptedFolder(target, flags.encryptedKeystoreDir);
    const written = password === undefined ? validators : await sealKeys(validators, { files, folder, password });
    const text = `${JSON.stringify({ ...json, validators: written }, undefined, 2)}\n`;
    if (target === path) replaceFile(path, text);
    else files.write(target, text);
  });
  printWritten(
    { file: target, validators: made.map(({ summary }) => summary), generatedMnemonic: shownMnemonic(request) },
    flags.json,
  );
}
