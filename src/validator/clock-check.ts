import type { Logger } from "../telemetry/logger.ts";
import type { SigningGuard, SigningRequest } from "./signing/signing-guard.ts";
import { SigningRefusedError } from "./signing/signing-refused-error.ts";

/** Samples that must agree. One block may arrive late, or while the clock is being set. */
const SAMPLES = 3;
/** Time in which an L1 block usually reaches this node, in milliseconds. */
const USUAL_DELAY_MS = 4000;
/** A clock behind L1 by more than this is worth a warning, in milliseconds. */
const BEHIND_MS = 2000;

/**
 * Compares the clock with the timestamps of L1's blocks as they arrive. An L1 block cannot come from the future, so one
 * with a later timestamp than the clock shows that the clock is behind. If all blocks arrive long after their
 * timestamps, the clock is ahead, or the L1 endpoint is late, which cannot be told apart.
 *
 * Duties are not signed while the clock seems to be wrong by more than an L1 slot: peers take proposals and
 * attestations up to one L1 slot before their slot, so such messages would be out of everybody's window.
 */
export class ClockCheck {
  readonly #l1SlotMs: number;
  readonly #logger: Logger;
  /** Milliseconds from the timestamp of each of the latest blocks to its arrival. */
  readonly #delays: number[] = [];
  #state: "right" | "doubtful" | "wrong" = "right";

  constructor({ ethereumSlotDuration }: { ethereumSlotDuration: number }, logger: Logger) {
    this.#l1SlotMs = ethereumSlotDuration * 1000;
    this.#logger = logger;
  }

  /** Called when a new L1 block was read: its timestamp in seconds and the clock in Unix milliseconds. */
  arrived(timestamp: number, nowMs: number): void {
    this.#delays.push(nowMs - timestamp * 1000);
    if (this.#delays.length > SAMPLES) this.#delays.shift();
    const error = this.#error();
    const off = Math.abs(error);
    const state =
      off > this.#l1SlotMs ? "wrong" : off > (error < 0 ? BEHIND_MS : this.#l1SlotMs / 2) ? "doubtful" : "right";
    if (state === this.#state) return;
    this.#state = state;
    const facts = { seconds: Math.round(off / 1000), side: sideOf(error) };
    if (state === "right") this.#logger.info({}, "the clock agrees with L1 again");
    else if (state === "doubtful") this.#logger.warn(facts, "the clock is {seconds} s {side} L1");
    else this.#logger.error(facts, "the clock is {seconds} s {side} L1: no duties are signed until it is right");
  }

  /** Why no duty can be signed now; undefined if the clock is good enough. */
  fault(): string | undefined {
    if (this.#state !== "wrong") return undefined;
    const error = this.#error();
    return `the clock is ${Math.round(Math.abs(error) / 1000)} s ${sideOf(error)} L1`;
  }

  /** Milliseconds by which the clock is ahead of L1 (negative: behind) at least, by all of the latest blocks. */
  #error(): number {
    if (this.#delays.length < SAMPLES) return 0;
    const behind = Math.max(...this.#delays);
    if (behind < 0) return behind;
    return Math.max(0, Math.min(...this.#delays) - USUAL_DELAY_MS);
  }
}

/** Signs through another guard while the clock is right. */
export class ClockedGuard implements SigningGuard {
  readonly #guard: SigningGuard;
  readonly #clock: Pick<ClockCheck, "fault">;

  constructor(guard: SigningGuard, clock: Pick<ClockCheck, "fault">) {
    this.#guard = guard;
    this.#clock = clock;
  }

  async sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const fault = this.#clock.fault();
    if (fault !== undefined) throw new SigningRefusedError(request.signer.address, request.duty, "time", fault);
    return this.#guard.sign(request, signal);
  }

  close(): Promise<void> {
    return this.#guard.close();
  }
}

function sideOf(error: number): string {
  return error < 0 ? "behind" : "ahead of";
}
