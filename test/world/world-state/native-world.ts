import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headerBlockNumber, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { ARCHIVE, SEPARATOR, TREE_HEIGHTS, TREE_IDS, type TreeId } from "../../../src/protocol/constants.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import type { BlockEffects } from "../../../src/world-state/types.ts";
import { decode, encode, type Plain, padded, word } from "./native-codec.ts";
import type { TxParts } from "./open-state.ts";

const MESSAGE = {
  stateReference: 101,
  append: 110,
  insert: 112,
  syncBlock: 116,
  createFork: 117,
  deleteFork: 118,
  createCheckpoint: 123,
  revertCheckpoints: 127,
  close: 999,
};
const MAP_SIZE_KB = 1024 * 1024;

/** What two releases ask for in different forms. */
interface Release {
  /** Arguments of a world state after the sizes of its trees. */
  readonly genesis: readonly unknown[];
  /** Number that stands for the latest block. */
  readonly latestBlock: number;
}

const RELEASES: Readonly<Record<Generation["name"], Release>> = {
  v4: { latestBlock: 0, genesis: [[], SEPARATOR.BLOCK_HEADER_HASH] },
  v5: { latestBlock: 2 ** 32 - 1, genesis: [[], [], SEPARATOR.BLOCK_HEADER_HASH, 0] },
};

export interface NativeModule {
  WorldState: new (...args: unknown[]) => { call(request: Buffer): Promise<ArrayBuffer>; getHandle(): unknown };
  avmSimulate(inputs: Buffer, contracts: unknown, state: unknown, level: number, log: null): Promise<ArrayBuffer>;
}

/** The network's own world state, on disk in a temporary folder: the module of an installed @aztec/bb.js. */
export class NativeWorld {
  readonly module: NativeModule;
  readonly #release: Release;
  readonly #folder = mkdtempSync(join(tmpdir(), "native-world-"));
  readonly #state: InstanceType<NativeModule["WorldState"]>;
  #messageId = 0;

  constructor(installed: string, { name }: Pick<Generation, "name">) {
    this.module = createRequire(import.meta.url)(join(installed, "build", "amd64-linux", "nodejs_module.node"));
    this.#release = RELEASES[name];
    const byTree = <T>(value: T) => Object.fromEntries(TREE_IDS.map((tree) => [tree, value]));
    this.#state = new this.module.WorldState(
      this.#folder,
      Object.fromEntries(TREE_IDS.map((tree) => [tree, TREE_HEIGHTS[tree]])),
      { 0: 128, 2: 128 },
      ...this.#release.genesis,
      byTree(MAP_SIZE_KB),
      2,
    );
  }

  /** What the simulator reads it by. */
  get handle(): unknown {
    return this.#state.getHandle();
  }

  /** Sends a message of the module's own numbers. */
  async call(msgType: number, value: unknown): Promise<unknown> {
    const header = { messageId: ++this.#messageId, requestId: 0 };
    return (decode(await this.#state.call(encode({ msgType, header, value }))) as { value: unknown }).value;
  }

  /** Inserts a block of one transaction, and commits it. The module checks every root. */
  async syncBlock(
    { header, blockHash, archiveRoot, l1ToL2Messages }: BlockEffects,
    { noteHashes, nullifiers, publicDataWrites }: Required<TxParts>,
  ): Promise<void> {
    const states = TREE_IDS.filter((tree) => tree !== ARCHIVE).map((tree): [TreeId, [Buffer, bigint]] => {
      const { root, size } = headerSnapshot(header, tree);
      return [tree, [Buffer.from(root), BigInt(size)]];
    });
    await this.call(MESSAGE.syncBlock, {
      blockNumber: headerBlockNumber(header),
      blockStateRef: new Map(states),
      blockHeaderHash: Buffer.from(blockHash),
      expectedArchiveRoot: Buffer.from(archiveRoot),
      expectedPreviousArchiveRoot: Buffer.from(headerSnapshot(header, ARCHIVE).root),
      paddedNoteHashes: padded(noteHashes, 64),
      paddedL1ToL2Messages: padded(l1ToL2Messages ?? [], 1024),
      paddedNullifiers: padded(nullifiers, 64).map((nullifier) => ({ nullifier })),
      publicDataWrites: publicDataWrites.map(({ leafSlot, value }) => ({ slot: word(leafSlot), value: word(value) })),
      canonical: true,
    });
  }

  /** A fork of the latest block. */
  async fork(): Promise<number> {
    const created = await this.call(MESSAGE.createFork, { latest: true, blockNumber: 0, canonical: true });
    return (created as { forkId: number }).forkId;
  }

  async deleteFork(forkId: number): Promise<void> {
    await this.call(MESSAGE.deleteFork, { forkId });
  }

  revision(forkId: number): Plain {
    return { forkId, blockNumber: this.#release.latestBlock, includeUncommitted: true };
  }

  async insert(forkId: number, treeId: TreeId, leaves: readonly Plain[]): Promise<void> {
    if (leaves.length > 0) await this.call(MESSAGE.insert, { treeId, forkId, leaves });
  }

  async append(forkId: number, treeId: TreeId, leaves: readonly Uint8Array[]): Promise<void> {
    if (leaves.length > 0) await this.call(MESSAGE.append, { treeId, forkId, leaves: leaves.map(word) });
  }

  async checkpoint(forkId: number): Promise<void> {
    await this.call(MESSAGE.createCheckpoint, { forkId });
  }

  /** Undoes what was done to the fork since its first checkpoint. */
  async revert(forkId: number): Promise<void> {
    await this.call(MESSAGE.revertCheckpoints, { forkId, depth: 0 });
  }

  /** Roots and sizes of a fork's trees by tree. */
  async trees(forkId: number): Promise<Plain> {
    const answer = await this.call(MESSAGE.stateReference, { revision: this.revision(forkId) });
    return (answer as { state: Plain }).state;
  }

  async close(): Promise<void> {
    await this.call(MESSAGE.close, { canonical: true });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
