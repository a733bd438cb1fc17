import type { ProposedBlock } from "../../src/archiver/rebuilt-checkpoint.ts";
import type { InvalidProposal } from "../../src/archiver/tables/invalid-proposal.ts";
import type { CheckpointRecord } from "../../src/archiver/tables/records.ts";
import type { BlockOutcome, CheckpointTerms } from "../../src/checkpoints/checkpoint-terms.ts";
import { L1UnavailableError } from "../../src/l1/errors.ts";
import { NO_ATTESTATIONS } from "../../src/l1/propose/attestations.ts";
import type { StateOverride } from "../../src/l1/state-override.ts";
import type { EpochCommittee } from "../../src/l1/types.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT } from "../../src/protocol/block-header.ts";
import { writeU32, writeUint } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { slotTimestamp } from "../../src/protocol/time.ts";
import type { AttestationCollector } from "../../src/sequencer/attestations.ts";
import type { Invalidation } from "../../src/sequencer/publisher/invalidate-request.ts";
import type {
  CheckpointToPublish,
  PublishOutcome,
  PublishRequest,
  RequestsToPublish,
} from "../../src/sequencer/publisher/types.ts";
import { Sequencer } from "../../src/sequencer/sequencer.ts";
import type { SequencerParts } from "../../src/sequencer/sequencer-parts.ts";
import type { SequencerSettings } from "../../src/sequencer/settings.ts";
import type { StateChange } from "../../src/sequencer/state-machine.ts";
import type { Voter } from "../../src/sequencer/votes/governance-signals.ts";
import { IDENTITY } from "../world/rpc/fakes.ts";

export const ATTESTER = `0x${"a7".repeat(20)}`;

const SETTINGS: SequencerSettings = {
  pollingIntervalMs: 5,
  enforceTimeTable: true,
  blockDurationMs: undefined,
  l1PublishingTime: undefined,
  attestationPropagationTime: 2,
  minPeersToPropose: 1,
  minTxsPerBlock: 1,
  minValidTxsPerBlock: undefined,
  maxTxsPerBlock: undefined,
  maxTxsPerCheckpoint: undefined,
  maxL2BlockGas: undefined,
  maxDABlockGas: undefined,
  perBlockAllocationMultiplier: 2,
  buildCheckpointIfEmpty: false,
  minBlocksForCheckpoint: undefined,
  minTxPoolAgeMs: 0,
  disabledValidators: [],
  invalidateAfterAsMember: 144,
  invalidateAfterAsOther: 432,
  governanceProposerPayload: undefined,
};

/** A vote that is valid in every slot of the tests. */
export const VOTE: PublishRequest = {
  action: "governance-signal",
  to: `0x${"60".repeat(20)}`,
  data: new Uint8Array(4),
  gasLimit: 800_000n,
  lastValidSlot: 1000,
  proof: { address: `0x${"60".repeat(20)}`, topic: `0x${"00".repeat(32)}` },
};

/** A sequencer with fake parts whose behaviour a test controls. The clock advances only when a test moves it. */
export class FakeNode {
  readonly log: { level: string; message: string; facts: Record<string, unknown> }[] = [];
  readonly states: StateChange[] = [];
  readonly published: CheckpointToPublish[] = [];
  /** Votes that were sent without a checkpoint. */
  readonly votesAlone: RequestsToPublish[] = [];
  readonly voters: Voter[] = [];
  readonly terms: CheckpointTerms[] = [];
  /** Txs and limits of each call of buildBlock. */
  readonly builds: {
    txs: string[];
    minValidTxs: number | undefined;
    maxTxs: number | undefined;
    deadline: number | undefined;
  }[] = [];
  readonly removed: string[] = [];
  readonly constants = { ...IDENTITY.constants, slotDuration: 72, ethereumSlotDuration: 12, targetCommitteeSize: 0 };
  nowMs: number;
  l1Timestamp: number;
  syncedL1 = true;
  l1Silent = false;
  refusal: Error | undefined;
  committee: EpochCommittee | undefined;
  attesters = [ATTESTER];
  collector: AttestationCollector = {
    obstacle: () => undefined,
    offerBlock: async () => {},
    collect: async () => NO_ATTESTATIONS,
  };
  publish: (checkpoint: CheckpointToPublish) => Promise<PublishOutcome> = async () => ({
    kind: "published",
    txHash: "0x01",
    l1BlockNumber: 9,
  });
  /** Names of txs that no block can include. Those in `failing` fail because of the node, not the tx. */
  readonly unprocessable = new Set<string>();
  readonly failing = new Set<string>();
  buildError: Error | undefined;
  /** Undefined: P2P is off. */
  peers: number | undefined;
  /** The bad checkpoint on L1, and the call that removes it. */
  invalid: InvalidProposal | undefined;
  invalidation: Invalidation | undefined;
  /** Pending chains that L1 was asked with instead of its own. */
  readonly overrides: StateOverride[] = [];
  refuseInvalidation: Error | undefined;
  readonly invalidations: { checkpoint: number; slot: number }[] = [];
  refuseBlock: Error | undefined;
  assemblyError: Error | undefined;
  readonly #pending = new Map<string, Uint8Array>();
  readonly #arrivals = new Set<() => void>();
  /** Slots of stored blocks, and of checkpoints. */
  readonly #blocks: { slot: number }[] = [];
  #checkpointed = 0;
  readonly #checkpointSlots: number[] = [];
  readonly sequencer: Sequencer;

  constructor(settings: Partial<SequencerSettings> = {}, { slot = 10 } = {}) {
    this.nowMs = slotTimestamp(slot, this.constants) * 1000;
    this.l1Timestamp = this.nowMs / 1000;
    this.sequencer = new Sequencer(this.#parts(), { ...SETTINGS, ...settings });
    this.sequencer.onStateChange((change) => void this.states.push(change));
  }

  /** Begins a slot on L1 and on the clock. */
  beginSlot(slot: number): void {
    this.nowMs = slotTimestamp(slot, this.constants) * 1000;
    this.l1Timestamp = this.nowMs / 1000;
    // As the archiver does, removes proposed blocks whose slot has passed.
    this.#blocks.length = this.#checkpointed;
    this.sequencer.wake();
  }

  addTx(name: string): void {
    this.#pending.set(name, fr(BigInt(this.#pending.size + 1 + this.removed.length * 1000)));
    for (const listener of [...this.#arrivals]) listener();
  }

  get pending(): string[] {
    return [...this.#pending.keys()];
  }

  get reasons(): string[] {
    const { slots } = this.sequencer.status();
    return Object.entries(slots).flatMap(([reason, count]) => (count > 0 ? [`${reason}: ${count}`] : []));
  }

  /** Marks the proposed blocks as checkpointed on L1. */
  settle(): void {
    this.#checkpointed = this.#blocks.length;
    this.#checkpointSlots.push(this.#blocks[this.#blocks.length - 1].slot);
  }

  #nameOf(hash: Uint8Array): string {
    for (const [name, own] of this.#pending) if (own === hash) return name;
    return "gone";
  }

  #parts(): SequencerParts {
    const note = (level: string) => (facts: object, message: string) =>
      void this.log.push({ level, message, facts: facts as Record<string, unknown> });
    const l1 =
      <T>(answer: () => T) =>
      async (): Promise<T> => {
        if (this.l1Silent) throw new L1UnavailableError([], "eth_call");
        return answer();
      };
    const header = (slot: number): Uint8Array => {
      const bytes = new Uint8Array(BLOCK_HEADER_BYTES);
      writeU32(bytes, HEADER_AT.slotNumber, slot);
      return bytes;
    };
    const node = this;
    return {
      reader: {
        identity: { ...IDENTITY, constants: this.constants },
        latestBlock: l1(() => ({ number: 5, hash: fr(5n), timestamp: this.l1Timestamp })),
        committee: async (epoch) =>
          this.committee ?? { epoch, committee: undefined, seed: 0n, escapeHatchOpen: false, settled: true },
        proposals: {
          canProposeAt: async (timestamp, _archive, _proposer, pending) => {
            if (pending !== undefined) this.overrides.push(pending);
            await l1(() => {})();
            if (this.refusal) throw this.refusal;
            const slot = Math.floor((timestamp - this.constants.l1GenesisTime) / 72);
            return { slot, checkpointNumber: this.#checkpointSlots.length + 1 };
          },
          minFeesAt: async (_timestamp, pending) => {
            if (pending !== undefined) this.overrides.push(pending);
            return l1(() => ({ feePerDaGas: 0n, feePerL2Gas: 7n }))();
          },
          feeAssetPriceModifier: async () => 3n,
        },
      },
      chain: {
        block: (number) =>
          ({ header: header(this.#blocks[number - 1]?.slot ?? 0), archiveRoot: fr(BigInt(number)) }) as never,
        checkpoint: (number) => {
          const slot = this.#checkpointSlots[number - 1];
          if (slot === undefined) return undefined;
          const bytes = new Uint8Array(V4.headers.checkpointBytes);
          writeUint(bytes, CHECKPOINT_AT.slotNumber + 26, 6, slot);
          return { number, header: bytes } as CheckpointRecord;
        },
        checkpointedBlockNumber: () => this.#checkpointed,
        checkpointsOfEpoch: () => [],
        latestBlockNumber: () => this.#blocks.length,
        latestCheckpointNumber: () => this.#checkpointSlots.length,
        messages: { range: () => [] } as never,
        state: {
          invalidProposal: () => this.invalid,
          processed: () => (this.syncedL1 ? { number: 5, hash: fr(5n), timestamp: this.l1Timestamp } : undefined),
        } as never,
      },
      worldTip: () => this.#blocks.length,
      sync: {
        initialSyncComplete: true,
        poke: () => {},
        addProposedBlock: async (block: ProposedBlock) => {
          if (this.refuseBlock) throw this.refuseBlock;
          this.#blocks.push({ slot: (block as unknown as { slot: number }).slot });
          for (const name of (block as unknown as { names: string[] }).names) this.#pending.delete(name);
        },
      },
      pool: {
        get pendingCount() {
          return node.#pending.size;
        },
        eligible: () => [...this.#pending.values()],
        get: () => ({}) as never,
        remove: (hashes) => {
          for (const hash of hashes) {
            const name = this.#nameOf(hash);
            this.removed.push(name);
            this.#pending.delete(name);
          }
        },
        slotStarted: () => {},
        onPending: (listener) => {
          this.#arrivals.add(listener);
          return () => this.#arrivals.delete(listener);
        },
      },
      keys: () => ({
        attesterAddresses: () => this.attesters,
        coinbaseOf: () => `0x${"c0".repeat(20)}`,
        feeRecipientOf: () => `0x${"fe".repeat(32)}`,
      }),
      startCheckpoint: async (terms) => {
        this.terms.push(terms);
        const built: ProposedBlock[] = [];
        return {
          validate: undefined,
          close: () => {},
          complete: async () => {
            if (this.assemblyError) throw this.assemblyError;
            return { checkpointNumber: terms.checkpointNumber, blocks: built, blobs: [new Uint8Array(1)] } as never;
          },
          buildBlock: async (txs, { minValidTxs = 1, maxTxs, deadline }) => {
            const names = txs.map(({ hash }) => this.#nameOf(hash));
            this.builds.push({ txs: names, minValidTxs, maxTxs, deadline });
            if (this.buildError) throw this.buildError;
            const left = (set: Set<string>) =>
              txs.flatMap(({ hash }, index) =>
                set.has(this.#nameOf(hash)) ? [{ index, hash, reason: "of no use", cause: new Error("broken") }] : [],
              );
            const good = names.filter((name) => !this.unprocessable.has(name) && !this.failing.has(name));
            const outcome = {
              processed: good.map(() => ({})),
              unprocessable: left(this.unprocessable),
              failed: left(this.failing),
              skipped: [],
            } as unknown as BlockOutcome;
            if (good.length < minValidTxs) return outcome;
            const number = this.#blocks.length + 1;
            const block = { record: { number }, txs: good, slot: terms.slot, names: good } as unknown as ProposedBlock;
            built.push(block);
            return { ...outcome, block };
          },
        };
      },
      peers: () => this.peers,
      attestations: {
        obstacle: (committee) => this.collector.obstacle(committee),
        offerBlock: (offer) => this.collector.offerBlock(offer),
        collect: (request) => this.collector.collect(request),
      },
      publisher: {
        publishCheckpoint: async (checkpoint) => {
          this.published.push(checkpoint);
          return this.publish(checkpoint);
        },
        isPublishing: () => false,
        invalidation: async (invalid, slot) => {
          this.invalidations.push({ checkpoint: invalid.checkpointNumber, slot });
          if (this.refuseInvalidation) throw this.refuseInvalidation;
          return this.invalidation;
        },
        publishRequests: async (votes) => void this.votesAlone.push(votes),
      },
      votes: async (voter) => {
        this.voters.push(voter);
        return voter.payload === undefined ? [] : [VOTE];
      },
      dutyTimes: { done: () => {}, missed: () => {} },
      now: () => this.nowMs,
      logger: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    };
  }
}
