import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../../errors/operator-error.ts";
import { within } from "../../events/within.ts";
import { L1Error } from "../../l1/errors.ts";
import { type ConnectOptions, connectRollup } from "../../l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../l1/types.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";

/** Delays between attempts while no endpoint answers, in milliseconds; the last one repeats. */
const RETRY_WAITS_MS = [1000, 2000, 4000, 8000, 15_000];

/** Exempt from the drift check: time on development chains stops between transactions, or is in the past. */
const DEVELOPMENT_CHAIN_ID = 31337;

/** Whether the age of L1's latest block says nothing about L1. */
export function isDevelopmentL1(chainId: number): boolean {
  return chainId === DEVELOPMENT_CHAIN_ID;
}

/** The time of L1 and the local clock differ by more than the allowed drift. */
class ClockDriftError extends OperatorError {
  override readonly errorCode: string = "clock-drift";

  /** Seconds by which the latest L1 block is behind the local clock; negative when it is ahead. */
  readonly behind: number;
  readonly allowed: number;

  constructor(behind: number, allowed: number) {
    super(
      `the latest L1 block is ${Math.abs(behind)} s ${behind < 0 ? "ahead of" : "behind"} the local clock, ` +
        `${allowed} s are allowed: the L1 endpoint is not synced, or the clock is wrong`,
    );
    this.name = "ClockDriftError";
    this.behind = behind;
    this.allowed = allowed;
  }
}

/** Retries `attempt` until it succeeds, fails with a fatal error, or is aborted. */
async function untilAnswered<T>(attempt: () => Promise<T>, log: NodeLogger, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await within(attempt(), { signal });
    } catch (error) {
      if (!(error instanceof L1Error) || error.fatal) throw error;
      const waitMs = RETRY_WAITS_MS[Math.min(failures, RETRY_WAITS_MS.length - 1)];
      log.warn({ err: error, retryInMs: waitMs }, "waiting for L1");
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/**
 * Connects to the rollup, and retries as long as L1 is down. Throws a fatal L1Error (wrong chain, missing contract),
 * ClockDriftError, or the reason of `signal`. `maxDriftSeconds` 0 turns off the comparison of clocks.
 */
export async function connectL1(
  options: ConnectOptions,
  maxDriftSeconds: number,
  log: NodeLogger,
  signal: AbortSignal,
): Promise<ConnectedRollup> {
  const reader = await untilAnswered(() => connectRollup(options), log, signal);
  const latest = await untilAnswered(() => reader.latestBlock(), log, signal);
  const behind = Math.round(Date.now() / 1000) - latest.timestamp;
  if (maxDriftSeconds > 0 && Math.abs(behind) > maxDriftSeconds) {
    if (!isDevelopmentL1(options.l1ChainId)) throw new ClockDriftError(behind, maxDriftSeconds);
    log.verbose({ behindSeconds: behind }, "the time of the development L1 differs from the local clock");
  }
  return reader;
}
