import { statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readKeystore } from "../../keystore/load-keystore.ts";
import { resolveBlsKey } from "../../keystore/resolve-bls.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import { digestCheck, type StakerFlags } from "./check-digest.ts";
import { KeyCommandError } from "./errors.ts";
import { STAKER_FOLDER } from "./run-new.ts";
import { stakerEntry } from "./staker-output.ts";

export interface StakerCommandFlags extends StakerFlags {
  from: string;
  output?: string;
}

/** The given file, a file in the given folder, or one in the folder `staker` beside the keystore. */
function outputPath(from: string, output: string | undefined): string {
  const name = `${basename(from, ".json")}_staker_output.json`;
  if (output === undefined) return join(dirname(from), STAKER_FOLDER, name);
  const path = resolve(output);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? !path.endsWith(".json");
  return isFolder ? join(path, name) : path;
}

/** Writes what registers the validators of a keystore that have a BLS key. Throws KeyCommandError or KeystoreError. */
export async function runStaker(flags: StakerCommandFlags): Promise<void> {
  const check = digestCheck(flags);
  const from = resolve(flags.from);
  const keystore = await readKeystore(from, () => {});
  const staked: ReturnType<typeof stakerEntry>[] = [];
  const without: string[] = [];
  for (const address of keystore.attesterAddresses()) {
    const bls = keystore.blsKeyOf(address);
    if (bls === undefined) without.push(address);
    else staked.push(stakerEntry(address, await resolveBlsKey(bls)));
  }
  for (const address of without) process.stderr.write(`warning: ${address} has no BLS key and is left out\n`);
  if (staked.length === 0) throw new KeyCommandError(from, "has no attester with a BLS key");
  await check?.(staked.map(({ keys }) => keys.publicKeyInG1));
  const path = outputPath(from, flags.output);
  try {
    makeFolder(dirname(path));
    writeFileSync(
      path,
      `${JSON.stringify(
        staked.map(({ entry }) => entry),
        undefined,
        2,
      )}\n`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyCommandError("--output", `names ${path}, which cannot be written (${code})`, { cause: error });
  }
  process.stdout.write(`Staker output of ${staked.length} validator(s): ${path}\n`);
}
