import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type {
  BlobFetcher,
  EpochCommittee,
  InboxMessage,
  InboxState,
  L1Block,
  ProposedCheckpoint,
  RollupIdentity,
  RollupReader,
  RollupStatus,
} from "../../../src/l1/types.ts";
import { equal, toHex } from "../../../src/protocol/bytes.ts";
import { CHAIN_A } from "../l1/recorded-networks.ts";

const ZERO = new Uint8Array(32);

/** All that the recorded L1 holds, as plain data that can be passed to another process. */
export interface L1Recording {
  identity: RollupIdentity;
  checkpoints: ProposedCheckpoint[];
  messages: InboxMessage[];
  /** The L1 blocks of checkpoints and messages, those before them, and the last one. */
  blocks: Map<number, L1Block>;
  /** By versioned hash. */
  blobs: Map<string, Uint8Array>;
}

/** Reads a recorded chain from the L1 that was recorded. */
export async function readRecordedL1(network = CHAIN_A): Promise<L1Recording> {
  const l1 = await network.start();
  try {
    const reader = await connectRollup({
      l1RpcUrls: [l1.url],
      l1ChainId: 31337,
      registryAddress: network.registryAddress,
      ethereumSlotDuration: 12,
    });
    const { identity } = reader;
    const latest = await reader.latestBlock();
    const checkpoints = await reader.checkpoints(0, latest.number);
    const messages = await reader.messages(0, latest.number);
    const blocks = new Map([[latest.number, latest]]);
    const numbers = [...checkpoints.map((c) => c.l1.number), ...messages.map((m) => m.l1BlockNumber)];
    for (const number of new Set(numbers.flatMap((n) => [n - 1, n]))) {
      const block = await reader.block(number);
      if (block !== undefined) blocks.set(number, block);
    }
    const fetcher = createBlobFetcher({ identity, l1RpcUrls: [l1.url], fileStoreUrls: [`file://${l1.blobStore}`] });
    const blobs = new Map<string, Uint8Array>();
    for (const { l1: block, versionedBlobHashes } of checkpoints) {
      const found = await fetcher.fetch(block, versionedBlobHashes, { historical: true });
      versionedBlobHashes.forEach((hash, i) => void blobs.set(toHex(hash), Uint8Array.from(found[i])));
    }
    await fetcher.close();
    return { identity, checkpoints, messages, blocks, blobs };
  } finally {
    await l1.stop();
  }
}

/** The recorded L1 as of a chosen block. Nothing is proven on it. */
export class RecordedL1 implements RollupReader {
  readonly identity: RollupIdentity;
  readonly blobs: BlobFetcher;
  /** Number of the latest block. */
  height: number;
  fetched = 0;
  readonly #recording: L1Recording;

  constructor(recording: L1Recording, height = Math.max(...recording.blocks.keys())) {
    this.identity = recording.identity;
    this.height = height;
    this.#recording = recording;
    this.blobs = {
      fetch: async (_block, hashes) => {
        this.fetched += hashes.length;
        return hashes.map((hash) => recording.blobs.get(toHex(hash))!);
      },
    };
  }

  #checkpoints(at = this.height): ProposedCheckpoint[] {
    return this.#recording.checkpoints.filter(({ l1 }) => l1.number <= at);
  }

  #archive(number: number, at = this.height): Uint8Array {
    if (number === 0) return this.identity.genesisArchiveRoot;
    return this.#checkpoints(at).find((c) => c.checkpointNumber === number)?.archiveRoot ?? ZERO;
  }

  #messages(at = this.height): InboxMessage[] {
    return this.#recording.messages.filter(({ l1BlockNumber }) => l1BlockNumber <= at);
  }

  async latestBlock(): Promise<L1Block> {
    return this.#recording.blocks.get(this.height)!;
  }

  async finalizedBlock(): Promise<L1Block | undefined> {
    return undefined;
  }

  async block(number: number): Promise<L1Block | undefined> {
    return this.#recording.blocks.get(number);
  }

  async status(checkpointNumber: number, at: number): Promise<RollupStatus> {
    const pending = this.#checkpoints(at).length;
    return {
      provenCheckpointNumber: 0,
      provenArchive: this.#archive(0),
      pendingCheckpointNumber: pending,
      pendingArchive: this.#archive(pending, at),
      archiveOfMyCheckpoint: this.#archive(checkpointNumber, at),
    };
  }

  async provenCheckpointNumber(): Promise<number> {
    return 0;
  }

  async canPruneAtTime(): Promise<boolean> {
    return false;
  }

  async archiveAt(checkpointNumber: number): Promise<Uint8Array> {
    return this.#archive(checkpointNumber);
  }

  async checkpoints(from: number, to: number): Promise<ProposedCheckpoint[]> {
    return this.#checkpoints(to).filter(({ l1 }) => l1.number >= from);
  }

  async inboxState(at: number): Promise<InboxState> {
    const messages = this.#messages(at);
    return {
      rollingHash: messages.at(-1)?.rollingHash ?? new Uint8Array(16),
      totalMessagesInserted: messages.length,
    };
  }

  async messages(from: number, to: number): Promise<InboxMessage[]> {
    return this.#messages(to).filter(({ l1BlockNumber }) => l1BlockNumber >= from);
  }

  async findMessage(leaf: Uint8Array): Promise<InboxMessage | undefined> {
    return this.#messages().find((message) => equal(message.leaf, leaf));
  }

  async views(): Promise<[]> {
    return [];
  }

  async missingHistory(): Promise<[]> {
    return [];
  }

  async committee(epoch: number): Promise<EpochCommittee> {
    return { epoch, committee: undefined, seed: 0n, escapeHatchOpen: false, settled: true };
  }
}
