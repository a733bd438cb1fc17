import type { CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { writeU32 } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { L1Constants } from "../../../src/protocol/time.ts";
import type { EpochProof } from "../../../src/prover/epoch/epoch-types.ts";
import type { EpochInProof } from "../../../src/prover/node/checkpoint-preparation.ts";
import type { ProvenEpoch, SubmissionOutcome } from "../../../src/prover/node/epoch-publisher.ts";
import { ProverNode, type ProverNodeParts } from "../../../src/prover/node/prover-node.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

/** Epochs of 4 slots of 10 seconds; a proof is due an epoch later. */
export const CONSTANTS: L1Constants = {
  l1StartBlock: 0,
  l1GenesisTime: 0,
  slotDuration: 10,
  epochDuration: 4,
  ethereumSlotDuration: 1,
  proofSubmissionEpochs: 1,
  targetCommitteeSize: 0,
  rollupManaLimit: 0,
};

function record(number: number, slot: number, fork: number): CheckpointRecord {
  const header = new Uint8Array(V4.headers.checkpointBytes);
  writeU32(header, CHECKPOINT_AT.slotNumber + 28, slot);
  return {
    number,
    header,
    archiveRoot: Uint8Array.of(number, fork),
    outHash: new Uint8Array(32),
    startBlock: number,
    blockCount: 1,
    feeAssetPriceModifier: 0n,
    l1: { number: slot, hash: new Uint8Array(32), timestamp: slot * 10 },
    attestations: [],
  };
}

/** A chain that a test changes. */
export class FakeChain {
  readonly #checkpoints: CheckpointRecord[] = [];
  readonly #listeners = new Set<() => void>();
  #seconds = 0;
  proven = 0;

  get seconds(): number {
    return this.#seconds;
  }

  readonly state = { processed: () => ({ number: this.#seconds, hash: new Uint8Array(32), timestamp: this.#seconds }) };

  checkpoint(number: number) {
    return this.#checkpoints[number - 1];
  }

  checkpointsOfEpoch(epoch: number) {
    return this.#checkpoints.filter(({ header }) => Math.floor(checkpointSlot(header) / 4) === epoch);
  }

  latestCheckpointNumber() {
    return this.#checkpoints.length;
  }

  provenCheckpointNumber() {
    return Math.min(this.proven, this.#checkpoints.length);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Time passes, up to the beginning of a slot. */
  passTo(slot: number): void {
    this.#seconds = slot * 10;
    this.changed();
  }

  add(slot: number, fork = 0): void {
    this.#checkpoints.push(record(this.#checkpoints.length + 1, slot, fork));
    this.#seconds = Math.max(this.#seconds, slot * 10);
    this.changed();
  }

  /** Removes the checkpoints after a number. */
  cutTo(number: number): void {
    this.#checkpoints.length = number;
    this.proven = Math.min(this.proven, number);
    this.changed();
  }
}

/** What a test sees of an attempt to prove an epoch, and what it does to it. */
export interface FakeProof {
  readonly epoch: number;
  /** Numbers of the checkpoints in the proof, with the fork of each. */
  readonly taken: [number: number, fork: number][];
  readonly aborted: AbortSignal;
  asked: boolean;
  finish(): void;
  fail(error: Error): void;
}

export interface Setting {
  readonly chain: FakeChain;
  readonly node: ProverNode;
  readonly proofs: FakeProof[];
  readonly submitted: ProvenEpoch[];
  /** What L1 answers; "submitted" by default. */
  answers: SubmissionOutcome[];
  /** Thrown by the next search for transactions. */
  missing: Error | undefined;
  /** Resolves when the blocks of a checkpoint are proven; at once by default. */
  settled: () => Promise<void>;
}

/** A prover node over a fake chain, whose proofs end when the test says so. Not started: the test calls `check`. */
export function setting(options: Partial<ProverNodeParts> = {}): Setting {
  const chain = new FakeChain();
  const proofs: FakeProof[] = [];
  const submitted: ProvenEpoch[] = [];
  const settled = () => Promise.resolve();
  const made: Setting = {
    chain,
    proofs,
    submitted,
    answers: [],
    missing: undefined,
    settled,
    node: undefined as never,
  };
  const startProof = (epoch: number): EpochInProof => {
    const abort = new AbortController();
    const done = Promise.withResolvers<EpochProof>();
    done.promise.catch(() => {});
    const taken: [number, number][] = [];
    const proof: FakeProof = {
      epoch,
      taken,
      aborted: abort.signal,
      asked: false,
      finish() {
        const zero = new Uint8Array(32);
        const [start, end] = [taken[0][0], taken[taken.length - 1][0]];
        const roots = { previousArchive: zero, endArchive: zero, outHash: zero };
        const rest = {
          proverId: new Uint8Array(20),
          fees: [],
          headers: [],
          blobInputs: zero,
          proof: zero,
          publicInputs: [],
        };
        done.resolve({ epoch, start, end, ...roots, ...rest });
      },
      fail: (error) => abort.abort(error),
    };
    proofs.push(proof);
    return {
      signal: abort.signal,
      abort: (cause) => abort.abort(cause),
      dropFrom: (number) => void taken.splice(taken.findIndex(([each]) => each >= number)),
      startCheckpoint: () => {
        throw new Error("checkpoints are put into the proof by the fake preparation");
      },
      prove: () => {
        proof.asked = true;
        return done.promise;
      },
    };
  };
  const node = new ProverNode({
    chain: chain as never,
    constants: CONSTANTS,
    startProof,
    preparation: {
      gather: async () => {
        if (made.missing !== undefined) throw made.missing;
        return [];
      },
      prepare: async (_proof, _epoch, { number, archiveRoot }) => {
        if (made.missing !== undefined) throw made.missing;
        proofs[proofs.length - 1].taken.push([number, archiveRoot[1]]);
        return { txs: 0, settled: made.settled() };
      },
    },
    obstacle: () => undefined,
    posted: { read: async () => ({ commitments: [], attestations: NO_ATTESTATIONS }) } as never,
    publisher: {
      publish: async (proven) => {
        submitted.push(proven);
        return made.answers.shift() ?? { kind: "submitted", txHash: "0x", l1BlockNumber: chain.seconds };
      },
    },
    parallelCheckpoints: 0,
    provingDelayMs: 0,
    resubmitMs: 0,
    now: () => chain.seconds * 1000,
    synced: () => true,
    onChainChange: (listener) => chain.onChange(listener),
    pollIntervalMs: 2 ** 30,
    maxRuns: 10,
    retryMs: [0],
    logger: silentLogger,
    ...options,
  });
  return Object.assign(made, { node });
}

const NO_ATTESTATIONS = { signatureIndices: new Uint8Array(), signaturesOrAddresses: new Uint8Array() };
