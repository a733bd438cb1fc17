import type { HealthReport, ReadinessLimits } from "../ports/node-health.ts";

/** One reason why a node is not ready: the value of a component that breaks a rule. */
export interface Unreadiness {
  component: string;
  /** `state`, or the name of a limit. */
  rule: "state" | keyof ReadinessLimits;
  /** null when it is not known. */
  value: string | number | null;
  limit: string | number;
  reason?: string;
  since?: string;
}

/** Why the node is not ready; empty when it is. Limits that are given replace those of the report. */
export function unreadiness(report: HealthReport, given: ReadinessLimits = {}): Unreadiness[] {
  const { maxLagBlocks, maxL1AgeSeconds, minPeers } = { ...report.limits, ...given };
  const reasons: Unreadiness[] = [];
  for (const { name, state, reason, since } of report.components) {
    // Peers are judged by their number.
    if (state === "ok" || state === "off" || name === "peers") continue;
    reasons.push({ component: name, rule: "state", value: state, limit: "ok", reason, since });
  }
  const { lagBlocks, l1AgeSeconds = null, peers = null } = report;
  if (maxLagBlocks !== undefined && lagBlocks > maxLagBlocks) {
    reasons.push({ component: "sync", rule: "maxLagBlocks", value: lagBlocks, limit: maxLagBlocks });
  }
  if (maxL1AgeSeconds !== undefined && (l1AgeSeconds === null || Math.abs(l1AgeSeconds) > maxL1AgeSeconds)) {
    reasons.push({ component: "l1", rule: "maxL1AgeSeconds", value: l1AgeSeconds, limit: maxL1AgeSeconds });
  }
  if (minPeers !== undefined && (peers ?? 0) < minPeers) {
    reasons.push({ component: "peers", rule: "minPeers", value: peers, limit: minPeers });
  }
  return reasons;
}

const MOST = 1_000_000_000;
const LIMIT_NAMES = ["maxLagBlocks", "maxL1AgeSeconds", "minPeers"] as const satisfies (keyof ReadinessLimits)[];

/** A parameter of the question breaks its rule. */
interface WrongParameter {
  parameter: string;
  rule: string;
}

/** Reads the limits in the query of a request. */
export function readinessLimits(query: string): ReadinessLimits | WrongParameter {
  const limits: { -readonly [K in keyof ReadinessLimits]: number } = {};
  for (const [name, text] of new URLSearchParams(query)) {
    const known = LIMIT_NAMES.find((limit) => limit === name);
    if (known === undefined) {
      return { parameter: name.slice(0, 64), rule: `is unknown: there are ${LIMIT_NAMES.join(", ")}` };
    }
    if (limits[known] !== undefined) return { parameter: name, rule: "may be given once" };
    if (!/^\d{1,10}$/.test(text) || Number(text) > MOST) {
      return { parameter: name, rule: `must be a whole decimal number from 0 to ${MOST}` };
    }
    limits[known] = Number(text);
  }
  return limits;
}
