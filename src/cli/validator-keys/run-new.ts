import { basename, dirname, join } from "node:path";
import { BlsKey } from "../../keystore/bls-key.ts";
import type { SecretText } from "../../keystore/private-key.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { digestCheck, type StakerFlags } from "./check-digest.ts";
import { KeyCommandError } from "./errors.ts";
import { defaultFolder, keyRequest, type MakeFlags, newPassword } from "./key-flags.ts";
import { allOrNoFiles, encryptedFolder, newKeystorePath } from "./key-folder.ts";
import { keystoreText } from "./keystore-json.ts";
import { type NewValidator, newValidators, type ValidatorSummary } from "./new-entries.ts";
import { summaryLines } from "./report.ts";
import { sealKeys } from "./seal-keys.ts";
import { type StakerEntry, stakerEntry } from "./staker-output.ts";

export type NewFlags = MakeFlags & StakerFlags & { stakerOutput?: boolean };

/** Folder of staker output beside a keystore; a node reads every .json file of the keystore's own folder. */
export const STAKER_FOLDER = "staker";

/** What a command wrote, without secrets except for a new mnemonic. */
export interface WrittenKeys {
  file: string;
  validators: ValidatorSummary[];
  stakerFile?: string;
  staker?: StakerEntry[];
  generatedMnemonic?: string;
}

/** Prints what was written. A new mnemonic is shown once, on standard output, and stored nowhere. */
export function printWritten(written: WrittenKeys, json: boolean | undefined): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(written, undefined, 2)}\n`);
    return;
  }
  const { file, validators, stakerFile, generatedMnemonic } = written;
  process.stdout.write(
    [
      ...(generatedMnemonic === undefined
        ? []
        : [`New mnemonic, shown only now. Write it down: it restores all keys.\n\n  ${generatedMnemonic}\n\n`]),
      summaryLines(validators),
      `Keystore: ${file}\n`,
      ...(stakerFile === undefined ? [] : [`Staker output: ${stakerFile}\n`]),
    ].join(""),
  );
}

/** Makes validators and writes them as a new keystore. Throws KeyCommandError. */
export async function runNew(flags: NewFlags): Promise<void> {
  const check = digestCheck(flags);
  if (check !== undefined && !flags.stakerOutput) throw new KeyCommandError("--gse-address", "needs --staker-output");
  const request = await keyRequest(flags, { addressIndex: 0 });
  const password = await newPassword(flags);
  const made = await newValidators(request);
  const staker = flags.stakerOutput ? made.map(newStakerEntry) : undefined;
  if (staker !== undefined) await check?.(staker.map(({ keys }) => keys.publicKeyInG1));
  const file = newKeystorePath(flags.dataDir ?? defaultFolder(), flags.file);
  const stakerFile = join(dirname(file), STAKER_FOLDER, `${basename(file, ".json")}_staker_output.json`);
  const entries = staker?.map(({ entry }) => entry);
  await allOrNoFiles(async (files) => {
    const keystore = { schemaVersion: 1, validators: made.map(({ entry }) => entry) };
    const folder = encryptedFolder(file, flags.encryptedKeystoreDir);
    const written = password === undefined ? keystore : await sealKeys(keystore, { files, folder, password });
    if (entries !== undefined) files.write(stakerFile, `${JSON.stringify(entries, undefined, 2)}\n`);
    files.write(file, keystoreText(written));
  });
  printWritten(
    {
      file,
      validators: made.map(({ summary }) => summary),
      ...(entries === undefined ? {} : { stakerFile, staker: entries }),
      generatedMnemonic: shownMnemonic(request),
    },
    flags.json,
  );
}

/** A mnemonic that its owner gave is not repeated. */
export function shownMnemonic({
  mnemonic,
  generated,
}: {
  mnemonic: SecretText;
  generated: boolean;
}): string | undefined {
  return generated ? mnemonic.reveal() : undefined;
}

function newStakerEntry({ entry: { attester }, summary }: NewValidator): ReturnType<typeof stakerEntry> {
  const bls = typeof attester === "object" && "bls" in attester ? attester.bls : undefined;
  if (typeof bls !== "string") throw new TypeError("new validators have a BLS key");
  return stakerEntry(summary.attester.toLowerCase(), new BlsKey(fromHex(bls)));
}
