import type { Core } from "../../../src/core/core.ts";
import type {
  BlobFetcher,
  BlobFetchOptions,
  EndpointView,
  EpochCommittee,
  InboxMessage,
  InboxState,
  L1Block,
  ProposedCheckpoint,
  RollupIdentity,
  RollupReader,
  RollupStatus,
} from "../../../src/l1/types.ts";
import { concat, equal, toHex } from "../../../src/protocol/bytes.ts";
import { firstMessageIndex, nextRollingHash } from "../../../src/protocol/l1-to-l2-message.ts";
import { epochOfSlot, slotAt } from "../../../src/protocol/time.ts";
import {
  CONSTANTS,
  GENESIS_ARCHIVE,
  L1_CHAIN_ID,
  proposal,
  ROLLUP_VERSION,
  type SyntheticCheckpoint,
  seeded,
  synthesize,
  type TxLogs,
} from "./synthetic-chain.ts";

const ZERO = new Uint8Array(32);

/** What one L1 block did to the rollup, in this order. */
interface Happening {
  /** Pending falls back to this number: pruning, or invalidation of the one after it. */
  cutTo?: number;
  propose?: SyntheticCheckpoint;
  /** Leaves, for the checkpoint after the next one. */
  messages?: { checkpointNumber: number; leaf: Uint8Array }[];
  proven?: number;
}

interface Mined extends L1Block, Happening {}

interface State {
  pending: SyntheticCheckpoint[];
  proven: number;
  messages: InboxMessage[];
}

export class FakeL1Error extends Error {}

/** An L1 in memory: one block in each rollup slot, so that block n is in slot n. */
export class FakeL1 implements RollupReader {
  readonly identity: RollupIdentity;
  readonly blobs = new FakeBlobs();
  /** Called before every answer; a test that simulates a failing endpoint throws from it. */
  interfere: (call: string) => void = () => {};
  finalized: number | undefined;
  readonly calls: string[] = [];
  readonly #core: Core;
  readonly #mined: Mined[] = [];
  #fork = 0;

  constructor(core: Core) {
    this.#core = core;
    this.identity = {
      l1ChainId: L1_CHAIN_ID,
      rollupVersion: ROLLUP_VERSION,
      addresses: {} as RollupIdentity["addresses"],
      constants: CONSTANTS,
      l1StartBlockHash: seeded("l1 0 10"),
      genesisArchiveRoot: GENESIS_ARCHIVE,
    };
    for (let i = 0; i <= CONSTANTS.l1StartBlock; i++) this.mine();
  }

  get height(): number {
    return this.#mined.length - 1;
  }

  mine(happening: Happening = {}): number {
    const number = this.#mined.length;
    const timestamp = CONSTANTS.l1GenesisTime + number * CONSTANTS.slotDuration;
    this.#mined.push({ ...happening, number, hash: seeded(`l1 ${this.#fork} ${number}`), timestamp });
    return number;
  }

  /**
   * Drops the last blocks. With `again`, their contents are mined again in new blocks, after `delay` empty ones.
   * Returns a function that restores the dropped blocks and removes all later ones.
   */
  reorg(depth: number, again = false, delay = 0): () => void {
    const from = Math.max(this.#mined.length - depth, CONSTANTS.l1StartBlock + 1);
    const dropped = this.#mined.splice(from);
    this.#fork++;
    for (let i = 0; i < delay; i++) this.mine();
    if (again)
      for (const { cutTo, propose, messages, proven } of dropped) this.mine({ cutTo, propose, messages, proven });
    return () => {
      this.#mined.splice(from, Number.POSITIVE_INFINITY, ...dropped);
      this.#fork++;
    };
  }

  /** Builds and mines the next checkpoint; `blocks` as in CheckpointPlan. */
  propose(
    blocks: number[] = [1],
    change: { cutTo?: number; l2ToL1?: Uint8Array[]; logs?: TxLogs[][]; spoil?: (c: SyntheticCheckpoint) => void } = {},
  ): SyntheticCheckpoint {
    const { pending, proven, messages } = this.#stateAt(this.height);
    const slot = this.#mined.length;
    const cutTo = isPrunable({ pending, proven }, slot) ? proven : change.cutTo;
    const base = cutTo === undefined ? pending : pending.slice(0, cutTo);
    const number = base.length + 1;
    const epochOf = (s: number) => epochOfSlot(s, CONSTANTS);
    const made = synthesize(
      {
        number,
        slot,
        firstBlock: (base.at(-1)?.lastBlock ?? 0) + 1,
        lastArchive: base.at(-1)?.archiveRoot ?? GENESIS_ARCHIVE,
        salt: `fork ${this.#fork} slot ${slot}`,
        blocks: blocks.map((txs) => Array.from({ length: txs }, () => change.l2ToL1 ?? [])),
        logs: change.logs,
        messages: messages.filter((m) => m.checkpointNumber === number).map((m) => m.leaf),
        epochOutHashes: base.filter((c) => epochOf(c.slot) === epochOf(slot)).map((c) => c.outHash),
      },
      this.#core,
    );
    change.spoil?.(made);
    this.blobs.put(made);
    this.mine({ cutTo, propose: made });
    return made;
  }

  /** Sends messages for the checkpoint after the next. */
  send(count: number): void {
    const { pending } = this.#stateAt(this.height);
    const checkpointNumber = pending.length + 2;
    this.mine({
      messages: Array.from({ length: count }, (_, i) => ({
        checkpointNumber,
        leaf: seeded(`message ${this.#fork} ${this.height} ${i}`),
      })),
    });
  }

  state(): { pending: SyntheticCheckpoint[]; proven: number; messages: InboxMessage[] } {
    return this.#stateAt(this.height);
  }

  #stateAt(height: number): State {
    const state: State = { pending: [], proven: 0, messages: [] };
    for (const block of this.#mined.slice(0, height + 1)) {
      if (block.cutTo !== undefined) state.pending = state.pending.slice(0, block.cutTo);
      if (block.propose !== undefined) state.pending.push(block.propose);
      if (block.proven !== undefined) state.proven = block.proven;
      for (const { checkpointNumber, leaf } of block.messages ?? []) {
        const last = state.messages.at(-1);
        // A replayed message of a checkpoint that has begun already goes to the tree in progress.
        const target = Math.max(checkpointNumber, last?.checkpointNumber ?? 0);
        state.messages.push({
          checkpointNumber: target,
          index: last?.checkpointNumber === target ? last.index + 1 : firstMessageIndex(target),
          leaf,
          rollingHash: nextRollingHash(last?.rollingHash ?? new Uint8Array(16), leaf),
          l1BlockNumber: block.number,
          l1BlockHash: block.hash,
        });
      }
    }
    return state;
  }

  async #answer<T>(call: string, answer: () => T): Promise<T> {
    this.calls.push(call);
    await Promise.resolve();
    this.interfere(call);
    return answer();
  }

  latestBlock(): Promise<L1Block> {
    return this.#answer("latestBlock", () => this.#mined[this.height]);
  }

  finalizedBlock(): Promise<L1Block | undefined> {
    return this.#answer("finalizedBlock", () =>
      this.finalized === undefined ? undefined : this.#mined[this.finalized],
    );
  }

  block(number: number): Promise<L1Block | undefined> {
    return this.#answer("block", () => this.#mined[number]);
  }

  status(checkpointNumber: number, at: number): Promise<RollupStatus> {
    return this.#answer("status", () => {
      const { pending, proven } = this.#stateAt(at);
      const archive = (n: number) => (n === 0 ? GENESIS_ARCHIVE : (pending[n - 1]?.archiveRoot ?? ZERO));
      return {
        provenCheckpointNumber: proven,
        provenArchive: archive(proven),
        pendingCheckpointNumber: pending.length,
        pendingArchive: archive(pending.length),
        archiveOfMyCheckpoint: archive(checkpointNumber),
      };
    });
  }

  provenCheckpointNumber(at: number): Promise<number> {
    return this.#answer("provenCheckpointNumber", () => this.#stateAt(at).proven);
  }

  canPruneAtTime(timestamp: number, at: number): Promise<boolean> {
    return this.#answer("canPruneAtTime", () => {
      return isPrunable(this.#stateAt(at), slotAt(timestamp, CONSTANTS));
    });
  }

  archiveAt(checkpointNumber: number): Promise<Uint8Array> {
    return this.#answer("archiveAt", () => this.#archiveAt(checkpointNumber));
  }

  #archiveAt(number: number): Uint8Array {
    return number === 0 ? GENESIS_ARCHIVE : (this.state().pending[number - 1]?.archiveRoot ?? ZERO);
  }

  checkpoints(fromBlock: number, toBlock: number): Promise<ProposedCheckpoint[]> {
    return this.#answer("checkpoints", () =>
      this.#mined
        .slice(fromBlock, toBlock + 1)
        .filter((b) => b.propose !== undefined && equal(this.#archiveAt(b.propose.number), b.propose.archiveRoot))
        .map((b) => proposal(b.propose!, { number: b.number, hash: b.hash, timestamp: b.timestamp })),
    );
  }

  inboxState(at: number): Promise<InboxState> {
    return this.#answer("inboxState", () => {
      const { messages } = this.#stateAt(at);
      return {
        rollingHash: messages.at(-1)?.rollingHash ?? new Uint8Array(16),
        totalMessagesInserted: messages.length,
      };
    });
  }

  messages(fromBlock: number, toBlock: number): Promise<InboxMessage[]> {
    return this.#answer("messages", () =>
      this.state().messages.filter((m) => m.l1BlockNumber >= fromBlock && m.l1BlockNumber <= toBlock),
    );
  }

  findMessage(leaf: Uint8Array): Promise<InboxMessage | undefined> {
    return this.#answer("findMessage", () => this.state().messages.find((m) => equal(m.leaf, leaf)));
  }

  async views({ checkpoint, at, earlier = at }: Parameters<RollupReader["views"]>[0]): Promise<EndpointView[]> {
    const hash = async (number: number) => (await this.block(number))?.hash;
    const [head, before] = [await hash(at), await hash(earlier)];
    return [{ url: "fake", head, earlier: before, status: await this.status(checkpoint, at) }];
  }

  missingHistory(): Promise<[]> {
    return this.#answer("missingHistory", () => []);
  }

  /** Committee of every epoch; none if undefined. */
  committeeMembers: Uint8Array[] | undefined;

  committee(epoch: number): Promise<EpochCommittee> {
    return this.#answer("committee", () => ({
      epoch,
      committee: this.committeeMembers,
      seed: 0n,
      escapeHatchOpen: false,
      settled: true,
    }));
  }
}

/** docs/protocol/04-l1-contracts.md#419-pruning. */
function isPrunable({ pending, proven }: Pick<State, "pending" | "proven">, slot: number): boolean {
  if (pending.length === proven) return false;
  const deadline = epochOfSlot(pending[proven].slot, CONSTANTS) + CONSTANTS.proofSubmissionEpochs + 1;
  return epochOfSlot(slot, CONSTANTS) >= deadline;
}

export class FakeBlobs implements BlobFetcher {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #lies = new Map<string, Uint8Array>();
  /** Versioned hashes, in hex, of blobs that no source has. */
  readonly missing = new Set<string>();
  fetched = 0;

  put({ versionedHash, blob }: SyntheticCheckpoint): void {
    this.#blobs.set(toHex(versionedHash), blob);
  }

  /** Four checkpoints with messages between them, synced block by block; then four empty blocks, synced at once. */
  lie(checkpoint: SyntheticCheckpoint, change: (blob: Uint8Array) => void): void {
    const lie = Uint8Array.from(checkpoint.blob);
    change(lie);
    this.#lies.set(toHex(checkpoint.versionedHash), lie);
  }

  /** Replaces a blob's contents under the same hash, undetectably. Returns a function that restores them. */
  alter({ versionedHash, blob }: SyntheticCheckpoint, change: (blob: Uint8Array) => void): () => void {
    const altered = Uint8Array.from(blob);
    change(altered);
    this.#blobs.set(toHex(versionedHash), altered);
    return () => this.#blobs.set(toHex(versionedHash), blob);
  }

  async fetch(_l1Block: L1Block, versionedHashes: Uint8Array[], options: BlobFetchOptions): Promise<Uint8Array[]> {
    await Promise.resolve();
    return versionedHashes.map((hash) => {
      const lie = options.recompute === true ? undefined : this.#lies.get(toHex(hash));
      const blob = lie ?? this.#blobs.get(toHex(hash));
      if (blob === undefined || this.missing.has(toHex(hash))) throw new FakeL1Error(`blob ${toHex(hash)} is missing`);
      this.fetched++;
      return concat(blob);
    });
  }
}
