import { dirname, resolve } from "node:path";
import type { KeystoreFile } from "../../keystore/file-types.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import { readKeystore } from "../../keystore/load-keystore.ts";
import { KeyCommandError } from "./errors.ts";
import { keyRequest, type MakeFlags, newPassword } from "./key-flags.ts";
import { allOrNoFiles, encryptedFolder, newKeystorePath } from "./key-folder.ts";
import { keystoreJson, keystoreText, movedFrom } from "./keystore-json.ts";
import { type NewValidator, newValidators } from "./new-entries.ts";
import { printWritten, shownMnemonic } from "./run-new.ts";
import { sealKeys } from "./seal-keys.ts";

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
  refuseKnownAccounts(path, await readKeystore(path, () => {}), made);
  const target = flags.file === undefined ? path : newKeystorePath(flags.dataDir ?? dirname(path), flags.file);
  await allOrNoFiles(async (files) => {
    const known = dirname(target) === dirname(path) ? json : movedFrom(dirname(path), json);
    const keystore = { ...known, validators: [...(known.validators ?? []), ...made.map(({ entry }) => entry)] };
    const folder = encryptedFolder(target, flags.encryptedKeystoreDir);
    const written = password === undefined ? keystore : await sealKeys(keystore, { files, folder, password });
    if (target === path) files.replace(path, keystoreText(written));
    else files.write(target, keystoreText(written));
  });
  printWritten(
    { file: target, validators: made.map(({ summary }) => summary), generatedMnemonic: shownMnemonic(request) },
    flags.json,
  );
}
