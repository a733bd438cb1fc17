import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { extract } from "tar";

/** The recorded chain in the repository: the L1 as an anvil state, the blobs as a file store. */
export const RECORDED_CHAIN = {
  folder: join("test", "fixtures", "chain-a"),
  l1ChainId: 31337,
  registryAddress: "0xb7f8bc63bbcad18155201308c8f3540b07f84f5e",
  /** A token fee contract that genesis funds, in addition to the test accounts and the sponsored fee contract. */
  prefundAddresses: "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a",
} as const;

class RecordedChainMissingError extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`the recorded chain is missing: ${file}; the demo needs a checkout of the repository`);
    this.name = "RecordedChainMissingError";
    this.file = file;
  }
}

export interface UnpackedChain {
  readonly l1State: string;
  /** file:// URL. */
  readonly blobStore: string;
  remove(): void;
}

/** Unpacks the recorded chain into a temporary folder. */
export function unpackRecordedChain(packageRoot: string): UnpackedChain {
  const source = join(packageRoot, RECORDED_CHAIN.folder);
  const files = { state: join(source, "l1-state.json.gz"), blobs: join(source, "blob-store.tar.gz") };
  for (const file of Object.values(files)) if (!existsSync(file)) throw new RecordedChainMissingError(file);
  const folder = mkdtempSync(join(tmpdir(), "svc-demo-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const l1State = join(folder, "l1-state.json");
  const blobs = join(folder, "blobs");
  try {
    writeFileSync(l1State, gunzipSync(readFileSync(files.state)));
    mkdirSync(blobs);
    extract({ file: files.blobs, cwd: blobs, sync: true, strict: true });
  } catch (error) {
    remove();
    throw error;
  }
  return { l1State, blobStore: pathToFileURL(blobs).href, remove };
}
