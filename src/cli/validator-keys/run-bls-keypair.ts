import { resolve } from "node:path";
import { blsKeyOfMaterial, blsKeyOfMnemonic, DEFAULT_BLS_PATH } from "../../keystore/bls-key.ts";
import { KeyCommandError } from "./errors.ts";
import { blsPathFlag, givenMnemonic, type MakeFlags, materialOf } from "./key-flags.ts";
import { allOrNoFiles } from "./key-folder.ts";

export type BlsKeypairFlags = Pick<MakeFlags, "mnemonic" | "mnemonicFile" | "ikmFile" | "blsPath" | "json"> & {
  out: string;
};

/** Derives one BLS key, writes it to a file and prints its public key. Throws KeyCommandError. */
export async function runBlsKeypair(flags: BlsKeypairFlags): Promise<void> {
  const path = blsPathFlag(flags.blsPath) ?? DEFAULT_BLS_PATH;
  const material = await materialOf(flags);
  const mnemonic = material === undefined ? await givenMnemonic(flags) : undefined;
  if (material === undefined && mnemonic === undefined) {
    throw new KeyCommandError("--mnemonic, --mnemonic-file or --ikm-file", "is required");
  }
  const key =
    material === undefined
      ? await blsKeyOfMnemonic(mnemonic?.reveal() ?? "", "", path)
      : blsKeyOfMaterial(material, path);
  const { publicKey } = key;
  const file = resolve(flags.out);
  const pair = { path, privateKey: key.revealText(), publicKey, format: "compressed" };
  await allOrNoFiles(async (files) => files.write(file, `${JSON.stringify(pair, undefined, 2)}\n`));
  const shown = { file, path, publicKey };
  process.stdout.write(
    flags.json ? `${JSON.stringify(shown, undefined, 2)}\n` : `BLS key ${publicKey} (${path}): ${file}\n`,
  );
}
