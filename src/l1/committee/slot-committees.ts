import { toHex } from "../../protocol/bytes.ts";
import { epochOfSlot, type L1Constants, slotAt } from "../../protocol/time.ts";
import { dropOldest } from "../../storage/drop-oldest.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { EpochNotStableError } from "../errors.ts";
import type { EpochCommittee } from "../types.ts";
import { proposerIndex } from "./sampling.ts";

/** Who may propose and attest in a slot (docs/protocol/04-l1-contracts.md#423-seed-and-committee). */
export interface SlotCommittee {
  slot: number;
  epoch: number;
  /**
   * "open": the rollup has no committee, anybody may propose and nobody attests. "none": there are too few validators,
   * nobody may propose.
   */
  kind: "committee" | "open" | "none";
  /** 20-byte addresses in committee order; empty unless there is a committee. */
  members: readonly Uint8Array[];
  /** Undefined unless there is a committee. */
  proposer: Uint8Array | undefined;
  /** Somebody else than the committee may propose in the slot's epoch. */
  escapeHatchOpen: boolean;
  isMember(address: Uint8Array): boolean;
}

interface KeptEpoch {
  committee: Promise<EpochCommittee & { memberTexts: ReadonlySet<string> }>;
  /** Unix milliseconds after which the epoch is read again; undefined: never. */
  until: number | undefined;
}

interface SlotCommitteesOptions {
  /** Reads an epoch's committee from L1. */
  read(epoch: number): Promise<EpochCommittee>;
  constants: Pick<
    L1Constants,
    "l1GenesisTime" | "slotDuration" | "epochDuration" | "ethereumSlotDuration" | "targetCommitteeSize"
  >;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

const KEPT_EPOCHS = 12;
const KEPT_SLOTS = 32;

/**
 * Committees and proposers by slot. Reads each epoch once; a failure, an epoch without a committee and one that is not
 * settled are kept for one L1 slot, so that messages from peers cannot cause a request to L1 each.
 */
export class SlotCommittees {
  readonly #options: SlotCommitteesOptions;
  readonly #epochs = new Map<number, KeptEpoch>();
  readonly #slots = new Map<number, SlotCommittee>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotCommitteesOptions) {
    this.#options = options;
  }

  /** Reads the committees of the current and the next slot now and at every L1 slot, before messages need them. */
  start(): void {
    this.stop();
    this.#prefetch();
    const { ethereumSlotDuration } = this.#options.constants;
    this.#timer = setInterval(() => this.#prefetch(), ethereumSlotDuration * 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The committee if it is cached. */
  cached(slot: number): SlotCommittee | undefined {
    return this.#slots.get(slot);
  }

  /** Rejects with an L1Error: EpochNotStableError for an epoch that is too far ahead. */
  async at(slot: number): Promise<SlotCommittee> {
    const cached = this.#slots.get(slot);
    if (cached !== undefined) return cached;
    const { constants } = this.#options;
    if (constants.targetCommitteeSize === 0) return this.#keep(openSlot(slot, epochOfSlot(slot, constants)));
    const epoch = epochOfSlot(slot, constants);
    const { committee, seed, escapeHatchOpen, settled, memberTexts } = await this.#epoch(epoch);
    const members = committee ?? [];
    const index = proposerIndex(epoch, slot, seed, members.length);
    const kind = members.length === 0 ? "none" : "committee";
    const proposer = index === undefined ? undefined : members[index];
    const isMember = (address: Uint8Array) => memberTexts.has(toHex(address));
    const answer: SlotCommittee = { slot, epoch, kind, members, proposer, escapeHatchOpen, isMember };
    return kind === "none" || !settled ? answer : this.#keep(answer);
  }

  #keep(answer: SlotCommittee): SlotCommittee {
    this.#slots.set(answer.slot, answer);
    dropOldest(this.#slots, KEPT_SLOTS);
    return answer;
  }

  #epoch(epoch: number): KeptEpoch["committee"] {
    const { read, now, constants, logger } = this.#options;
    const kept = this.#epochs.get(epoch);
    if (kept !== undefined && (kept.until === undefined || now() < kept.until)) return kept.committee;
    const committee = read(epoch).then((answer) => ({
      ...answer,
      memberTexts: new Set((answer.committee ?? []).map(toHex)),
    }));
    const entry: KeptEpoch = { committee, until: undefined };
    this.#epochs.delete(epoch);
    this.#epochs.set(epoch, entry);
    dropOldest(this.#epochs, KEPT_EPOCHS);
    const retryLater = () => {
      entry.until = now() + constants.ethereumSlotDuration * 1000;
    };
    committee.then(
      ({ committee: members, settled }) => {
        if (members === undefined || !settled) retryLater();
      },
      (error: unknown) => {
        retryLater();
        const level = error instanceof EpochNotStableError ? "debug" : "warn";
        logger[level]({ err: error, epoch }, "the committee of epoch {epoch} cannot be read");
      },
    );
    return committee;
  }

  #prefetch(): void {
    const { constants, now } = this.#options;
    const slot = slotAt(Math.floor(now() / 1000), constants);
    for (const wanted of [slot, slot + 1]) {
      this.at(wanted).catch(() => {
        // Logged by the read.
      });
    }
  }
}

function openSlot(slot: number, epoch: number): SlotCommittee {
  return {
    slot,
    epoch,
    kind: "open",
    members: [],
    proposer: undefined,
    escapeHatchOpen: false,
    isMember: () => false,
  };
}
