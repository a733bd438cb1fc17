import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { extract } from "tar";
import { anvilBinary } from "../../../src/local-network/anvil-binary.ts";
import { freePort } from "../../support/free-port.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/chain-a/${name}`, import.meta.url));

export const CHAIN_A_REGISTRY = "0xb7f8bc63bbcad18155201308c8f3540b07f84f5e";

export interface Anvil {
  url: string;
  stop(): Promise<void>;
}

/** Starts anvil (the pinned npm build) on a free port and waits until it answers. */
export async function startAnvil(args: string[] = []): Promise<Anvil> {
  const port = await freePort();
  const child = spawn(anvilBinary(), ["--port", String(port), "--silent", ...args], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  const url = `http://127.0.0.1:${port}`;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  for (let waited = 0; ; waited++) {
    const up = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body }).then(
      () => true,
      () => false,
    );
    if (up) break;
    if (waited > 4_000 || child.exitCode !== null) {
      kill();
      throw new Error(`anvil does not answer at ${url}`);
    }
    await sleep(20);
  }
  return {
    url,
    stop: async () => {
      process.off("exit", kill);
      kill();
      await exited;
    },
  };
}

export interface ChainA extends Anvil {
  /** Folder of its blob store. */
  blobStore: string;
}

/** The recorded chain: anvil with its state, and its blobs unpacked into a folder that `stop` removes. */
export async function startChainA(): Promise<ChainA> {
  const folder = mkdtempSync(join(tmpdir(), "chain-a-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const state = join(folder, "l1-state.json");
    writeFileSync(state, gunzipSync(readFileSync(fixture("l1-state.json.gz"))));
    const blobStore = join(folder, "blobs");
    unpackBlobStore(blobStore);
    const anvil = await startAnvil(["--load-state", state]);
    return {
      url: anvil.url,
      blobStore,
      stop: async () => {
        await anvil.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Unpacks the recorded blob store into a new folder. */
export function unpackBlobStore(folder: string): void {
  mkdirSync(folder, { recursive: true });
  extract({ file: fixture("blob-store.tar.gz"), cwd: folder, sync: true, strict: true });
}
