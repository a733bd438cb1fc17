import { yieldEventLoop } from "../../events/yield-event-loop.ts";
import type { SlotCommittee } from "../../l1/committee/slot-committees.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { OFFENSE_TYPES, type ReportOffenses } from "../../protocol/slashing/offense.ts";
import type {
  AllStatistics,
  SingleStatistics,
  StatisticsWindow,
  ValidatorStatistics,
} from "../../protocol/slashing/validator-statistics.ts";
import { epochOfSlot, epochSlots, type L1Constants, slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type InactivitySettings, isInactive } from "./inactivity.ts";
import type { SentinelStore } from "./sentinel-store.ts";
import { slotDuties } from "./slot-duties.ts";
import { SlotRangeError } from "./slot-range-error.ts";
import { epochPerformance, validatorStatistics } from "./statistics.ts";

/** Slots between the current one and the one that is processed: its messages and its checkpoint have arrived. */
const SLOTS_BEHIND = 2;
/** Proven epochs that wait while committees cannot be read. */
const MAX_WAITING_EPOCHS = 32;

/** A checkpoint of the chain. */
export interface MinedCheckpoint {
  archive: Uint8Array;
  /** Positions in the committee of the members whose signatures were published. */
  signers: readonly number[];
}

/** The chain as this node synced it. */
export interface SentinelChain {
  /** The last slot that L1 can no longer change. */
  syncedSlot(): number | undefined;
  checkpointAt(slot: number): MinedCheckpoint | undefined;
  /** Slot of the last proven block; undefined while nothing is proven. */
  provenSlot(): number | undefined;
}

/** What peers and own validators gossiped. */
interface SentinelGossip {
  /** Signers of attestations of a slot: of all, or of those to one archive root. */
  attesters(slot: number, archive: Uint8Array | undefined): Iterable<Uint8Array>;
  hasBlockProposals(slot: number): boolean;
}

export interface SentinelParts {
  store: SentinelStore;
  chain: SentinelChain;
  gossip: SentinelGossip;
  committeeAt(slot: number): Promise<Pick<SlotCommittee, "members" | "proposer" | "escapeHatchOpen">>;
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "epochDuration" | "ethereumSlotDuration">;
  /** Slots over which statistics go. */
  historyLength: number;
  inactivity: InactivitySettings;
  /** Called with offenses of type 3. */
  report: ReportOffenses;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

/**
 * Records which duties the validators did, and reports those that were inactive in proven epochs
 * (docs/protocol/12-slashing.md#121-sentinel).
 */
export class Sentinel {
  readonly #parts: SentinelParts;
  #inactivity: InactivitySettings;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #initialSlot: number | undefined;
  #lastProcessedSlot: number | undefined;
  /** Epochs to evaluate; the value says whether one that is recorded is evaluated again. */
  readonly #provenEpochs = new Map<number, { again: boolean }>();
  #failing = false;

  constructor(parts: SentinelParts) {
    this.#parts = parts;
    this.#inactivity = parts.inactivity;
  }

  /**
   * Ticks four times in each L1 slot. Slots after the current one are recorded, and the last proven epoch unless it was
   * recorded before a restart.
   */
  start(): void {
    const { constants, chain } = this.#parts;
    this.#initialSlot = this.#currentSlot();
    const proven = chain.provenSlot();
    if (proven !== undefined) this.#evaluateSoon(epochOfSlot(proven, constants), { again: false });
    this.#timer = setInterval(() => void this.tick(), (constants.ethereumSlotDuration * 1000) / 4);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Applies to epochs that are proven from now on. */
  configure(changes: Partial<InactivitySettings>): void {
    this.#inactivity = { ...this.#inactivity, ...changes };
  }

  /** A proof reached a block of this epoch. The epoch is evaluated with the next tick, each time anew. */
  epochProven(epoch: number): void {
    this.#evaluateSoon(epoch, { again: true });
  }

  /** Evaluates proven epochs, then processes the slot that is due. Never rejects; what failed is tried again. */
  tick(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Statistics of all validators over the newest `historyLength` slots. */
  async all(): Promise<AllStatistics> {
    const { store, constants } = this.#parts;
    const { from, to } = this.#defaultRange();
    const window = this.#window();
    const stats: ValidatorStatistics[] = [];
    for (const address of store.validators()) {
      stats.push(validatorStatistics(address, store.history(address, bounds(from, to)), constants));
      await yieldEventLoop();
    }
    return { stats, ...window };
  }

  /**
   * Statistics of one validator; undefined without any entry. Slot 0 as a bound means none, as in the reference. Throws
   * a SlotRangeError.
   */
  of(validator: Uint8Array, fromSlot: number | undefined, toSlot: number | undefined): SingleStatistics | undefined {
    const { store, constants, historyLength } = this.#parts;
    if (!store.hasHistory(validator)) return undefined;
    const { from, to } = this.#defaultRange();
    const first = fromSlot ?? from;
    const last = toSlot ?? to;
    if (last - first > historyLength) throw new SlotRangeError(first, last, historyLength);
    return {
      validator: validatorStatistics(validator, store.history(validator, bounds(first, last)), constants),
      allTimeProvenPerformance: store.performance(validator),
      ...this.#window(),
    };
  }

  #window(): StatisticsWindow {
    return {
      ...(this.#lastProcessedSlot !== undefined && { lastProcessedSlot: this.#lastProcessedSlot }),
      ...(this.#initialSlot !== undefined && { initialSlot: this.#initialSlot }),
      slotWindow: this.#parts.historyLength,
    };
  }

  #defaultRange(): { from: number; to: number } {
    const to = this.#lastProcessedSlot ?? this.#currentSlot();
    return { from: Math.max(to - this.#parts.historyLength, 0), to };
  }

  #currentSlot(): number {
    return slotAt(Math.floor(this.#parts.now() / 1000), this.#parts.constants);
  }

  #evaluateSoon(epoch: number, { again }: { again: boolean }): void {
    this.#provenEpochs.set(epoch, { again });
    for (const oldest of this.#provenEpochs.keys()) {
      if (this.#provenEpochs.size <= MAX_WAITING_EPOCHS) break;
      this.#provenEpochs.delete(oldest);
    }
  }

  async #work(): Promise<void> {
    const results = await Promise.allSettled([this.#evaluateProvenEpochs(), this.#processDueSlot()]);
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) {
      const level = this.#failing ? "debug" : "warn";
      this.#parts.logger[level]({ err: failure.reason }, "duties of validators could not be recorded, trying again");
    }
    this.#failing = failure !== undefined;
  }

  async #evaluateProvenEpochs(): Promise<void> {
    for (const [epoch, order] of this.#provenEpochs) {
      if (!this.#hasSeen(epoch)) continue;
      await this.#evaluate(epoch, order);
      // Proven further meanwhile: it is evaluated once more.
      if (this.#provenEpochs.get(epoch) === order) this.#provenEpochs.delete(epoch);
    }
  }

  /** Whether no slot of the epoch is left to be processed. A proof may arrive before the epoch's last slots are. */
  #hasSeen(epoch: number): boolean {
    const { last } = epochSlots(epoch, this.#parts.constants);
    const processed = this.#lastProcessedSlot ?? this.#initialSlot;
    return processed === undefined || last <= processed;
  }

  async #processDueSlot(): Promise<void> {
    const { chain, committeeAt } = this.#parts;
    const slot = this.#currentSlot() - SLOTS_BEHIND;
    if (this.#initialSlot === undefined || slot <= this.#initialSlot) return;
    if (this.#lastProcessedSlot !== undefined && slot <= this.#lastProcessedSlot) return;
    const synced = chain.syncedSlot();
    if (synced === undefined || synced < slot) return;
    const { members, proposer, escapeHatchOpen } = await committeeAt(slot);
    if (proposer !== undefined && !escapeHatchOpen) this.#record(slot, members, proposer);
    this.#lastProcessedSlot = slot;
  }

  #record(slot: number, members: readonly Uint8Array[], proposer: Uint8Array): void {
    const { chain, gossip, store, logger } = this.#parts;
    const checkpoint = chain.checkpointAt(slot);
    const duties = slotDuties({
      members,
      proposer,
      mined: checkpoint !== undefined,
      attesters: [
        ...gossip.attesters(slot, checkpoint?.archive),
        ...(checkpoint?.signers ?? []).map((position) => members[position]),
      ],
      blockProposed: gossip.hasBlockProposals(slot),
    });
    store.recordSlot(slot, duties);
    const missed = duties.filter(({ status }) => status === "attestation-missed").length;
    const status = duties.find(({ validator }) => equal(validator, proposer))?.status;
    logger.debug(
      { slot, proposer: toHex(proposer), status, missedAttestations: missed },
      "slot {slot}: {status} by {proposer}, {missedAttestations} attestations missed",
    );
  }

  async #evaluate(epoch: number, { again }: { again: boolean }): Promise<void> {
    const { committeeAt, constants, store } = this.#parts;
    const { first, last } = epochSlots(epoch, constants);
    const { members, escapeHatchOpen } = await committeeAt(first);
    if (escapeHatchOpen) return;
    const recorded = () => members.some((one) => store.performance(one).some((entry) => entry.epoch === epoch));
    if (!again && recorded()) return;
    const performances = members.map((validator) => ({
      validator,
      ...epochPerformance(store.history(validator, { from: first, to: last })),
    }));
    store.recordEpoch(epoch, performances);
    this.#reportInactive(epoch, members);
  }

  #reportInactive(epoch: number, members: readonly Uint8Array[]): void {
    const { store, report, logger } = this.#parts;
    const settings = this.#inactivity;
    if (settings.penalty === 0n) return;
    const inactive = members.filter((validator) => isInactive(store.performance(validator), epoch, settings));
    if (inactive.length === 0) return;
    logger.info(
      { epoch, validators: inactive.map(toHex), count: inactive.length },
      "{count:validator} inactive in proven epoch {epoch}",
    );
    report(
      inactive.map((validator) => ({
        validator,
        amount: settings.penalty,
        offenseType: OFFENSE_TYPES.inactivity,
        epochOrSlot: BigInt(epoch),
      })),
    );
  }
}

function bounds(from: number, to: number): { from: number | undefined; to: number | undefined } {
  return { from: from === 0 ? undefined : from, to: to === 0 ? undefined : to };
}
