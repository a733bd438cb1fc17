import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { type ChainServices, openChainServices } from "../../../src/chain-store/chain-services.ts";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import type { Core } from "../../../src/core/core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import type { SourcedBlobFetcher } from "../../../src/l1/blobs/blob-fetcher.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { attestationValidator } from "../../../src/l1/committee/validate-attestations.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { generationNamed } from "../../../src/protocol/generations/known/choose.ts";

const FUNDED = {
  testAccounts: true,
  sponsoredFpc: true,
  prefundAddresses: [fromHex(RECORDED_CHAIN.prefundAddresses)],
};

export interface FollowedL1 {
  l1RpcUrls: string[];
  /** Folder of the recorded blobs. Without one, blobs are read from L1. */
  blobStore?: string;
  /** URLs of blob stores, instead of the folder. */
  blobStores?: string[];
  /** Rollup other than the recorded v4 one: where it is registered, and whom its genesis funds. */
  rollup?: { registryAddress: string; prefundAddresses: Uint8Array[] };
  /** Timeout of each exchange with L1 and blob stores, in milliseconds. */
  timeoutMs?: number;
  /** Shared by several nodes, because loading its trusted setup takes seconds. */
  kzg?: Kzg;
}

/** Tables of the L1 blocks that a node has seen. They depend on timing, so they are left out of comparisons. */
const DEPENDS_ON_TIME = ["recent-l1-blocks", "proven-l1-block"];

/** Reads all rows of a closed store as text, by table. */
async function rows(path: string): Promise<Record<string, Record<string, string>>> {
  const root = open<Buffer, Buffer>({ path, encoding: "binary", keyEncoding: "binary", maxDbs: 64, readOnly: true });
  try {
    const names = [...root.getKeys({})]
      .map((key) => key.toString())
      .filter((name) => !DEPENDS_ON_TIME.some((table) => name.startsWith(table)));
    return Object.fromEntries(
      names.map((name) => {
        const table = root.openDB<Buffer, Buffer>({ name, encoding: "binary", keyEncoding: "binary" });
        const entries = [...table.getRange({})].map(({ key, value }) => [
          Buffer.from(key as unknown as Uint8Array).toString("hex"),
          Buffer.from(value).toString("hex"),
        ]);
        return [name, Object.fromEntries(entries)];
      }),
    );
  } finally {
    await root.close();
  }
}

/** The services by which a node follows L1, driven step by step. */
export class Follower {
  readonly log: { level: string; message: string; facts: Record<string, unknown> }[] = [];
  readonly path: string;
  readonly #core: Core;
  readonly #l1: FollowedL1;
  reader!: ConnectedRollup;
  services!: ChainServices;
  synchronizer!: Synchronizer;
  #blobs!: SourcedBlobFetcher;
  readonly #hasher = new CorePool({ size: 1 });

  private constructor(core: Core, l1: FollowedL1, path: string) {
    this.#core = core;
    this.#l1 = l1;
    this.path = path;
  }

  static async open(core: Core, l1: FollowedL1): Promise<Follower> {
    const follower = new Follower(core, l1, mkdtempSync(join(tmpdir(), "svc-reorg-")));
    try {
      await follower.#open();
    } catch (error) {
      rmSync(follower.path, { recursive: true, force: true });
      throw error;
    }
    return follower;
  }

  /** Syncs a node from an empty data directory. */
  static async fresh(core: Core, l1: FollowedL1): Promise<Follower> {
    const follower = await Follower.open(core, l1);
    await follower.sync();
    return follower;
  }

  async #open(): Promise<void> {
    const { l1RpcUrls, blobStore, blobStores, timeoutMs, kzg, rollup } = this.#l1;
    const { l1ChainId } = RECORDED_CHAIN;
    const { registryAddress = RECORDED_CHAIN.registryAddress, ...funded } = rollup ?? {};
    this.reader = await connectRollup({
      l1RpcUrls,
      l1ChainId,
      registryAddress,
      ethereumSlotDuration: 12,
      retryDelaysMs: [],
      timeoutMs,
    });
    const { identity } = this.reader;
    this.#blobs = createBlobFetcher({
      identity,
      l1RpcUrls,
      kzg,
      fileStoreUrls: blobStores ?? (blobStore === undefined ? [] : [`file://${blobStore}`]),
      ...(timeoutMs !== undefined && { timeoutMs, retryDelaysMs: [], storeRetryDelaysMs: [] }),
    });
    this.services = await openChainServices({
      path: this.path,
      mapSizeKb: 1 << 20,
      core: this.#core,
      identity,
      publicData: genesisPublicData(this.#core, { ...FUNDED, ...funded }, generationNamed(identity.generation)),
      hasher: this.#hasher,
    });
    const write = (level: string) => (facts: object, message: string) =>
      void this.log.push({ level, message, facts: facts as Record<string, unknown> });
    this.synchronizer = new Synchronizer({
      store: this.services.store,
      chain: this.services.chain,
      worldState: this.services.world,
      reader: this.reader,
      blobs: this.#blobs,
      rebuild: rebuildInThread(this.#core, this.services.chain.generation),
      validateAttestations: attestationValidator(this.reader, this.services.chain.generation),
      logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    });
  }

  /** Repeats sync iterations until one completes and returns how many failed. Throws after `tries` failures. */
  async sync(tries = 12): Promise<number> {
    for (let failures = 0; ; failures++) {
      try {
        await this.synchronizer.syncOnce();
        return failures;
      } catch (error) {
        if (failures === tries) throw error;
      }
    }
  }

  async #close(): Promise<void> {
    await this.synchronizer.stop();
    await this.#blobs.close();
    await this.services.store.close();
  }

  /** All rows of the chain store by table. Closes and reopens the services. */
  async contents(): Promise<Record<string, Record<string, string>>> {
    await this.#close();
    const found = await rows(this.path);
    await this.#open();
    return found;
  }

  async remove(): Promise<void> {
    await this.#close();
    await this.#hasher.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}
