import type { L1Block } from "../../l1/types.ts";
import { isDevelopmentL1 } from "../../node/chain/connect-l1.ts";
import { type Finding, fail, ok, skip, warn } from "./finding.ts";

/** L1's blocks come every 12 s and have whole seconds. */
const USUAL_AGE_SECONDS = 60;
const AHEAD_SECONDS = 2;

interface ClockSettings {
  chainId: number;
  /** 0 for no limit. */
  maxDriftSeconds: number;
  /** Unix milliseconds. */
  now(): number;
}

/** The machine's clock against the newest block of all endpoints: one that lags does not make it wrong. */
export function checkClock(latest: readonly L1Block[], { chainId, maxDriftSeconds, now }: ClockSettings): Finding {
  if (latest.length === 0) return skip("clock", "no L1 endpoint tells a time to compare with");
  const newest = Math.max(...latest.map(({ timestamp }) => timestamp));
  const age = Math.round(now() / 1000 - newest);
  const text = age < 0 ? `${-age} s behind the latest L1 block` : `the latest L1 block is ${age} s old`;
  if (isDevelopmentL1(chainId)) return ok("clock", `${text}; not compared on a development chain`);
  const byNtp = "set the clock by NTP (timedatectl set-ntp true); if it is right, the L1 endpoint is not synced";
  if (age < -AHEAD_SECONDS) return fail("clock", text, byNtp);
  if (maxDriftSeconds > 0 && age > maxDriftSeconds) {
    return fail("clock", `${text}, ${maxDriftSeconds} s are allowed: the clock is ahead, or L1 is behind`, byNtp);
  }
  return age > USUAL_AGE_SECONDS ? warn("clock", text, byNtp) : ok("clock", text);
}
