import { within } from "../../events/within.ts";
import type { HealthReport, NodeHealth } from "../ports/node-health.ts";
import { readinessLimits, type Unreadiness, unreadiness } from "./readiness.ts";

/** A node's thread that answers later than this is stuck. */
const PATIENCE_MS = 5_000;

interface HealthAnswer {
  status: 200 | 400 | 503;
  body: object;
}

/** The thread is stuck, or has so much to do that it takes no further calls. */
const STUCK: Unreadiness = {
  component: "node",
  rule: "state",
  value: "stuck",
  limit: "ok",
  reason: "the node's main thread does not answer",
};

/**
 * Answers of /live, /ready and /status?format=json. Each asks the node's thread, so that none of them says well of a
 * node whose thread is stuck. Questions at the same time share one report.
 */
export class HealthChecks {
  readonly #health: NodeHealth;
  readonly #patienceMs: number;
  #underWay: Promise<HealthReport | undefined> | undefined;

  constructor(health: NodeHealth, patienceMs = PATIENCE_MS) {
    this.#health = health;
    this.#patienceMs = patienceMs;
  }

  async live(): Promise<HealthAnswer> {
    const report = await this.#report();
    return report === undefined
      ? { status: 503, body: { live: false, reasons: [STUCK] } }
      : { status: 200, body: { live: true } };
  }

  async ready(query: string): Promise<HealthAnswer> {
    const limits = readinessLimits(query);
    if ("rule" in limits) return { status: 400, body: { error: limits } };
    const report = await this.#report();
    const reasons = report === undefined ? [STUCK] : unreadiness(report, limits);
    return reasons.length === 0
      ? { status: 200, body: { ready: true } }
      : { status: 503, body: { ready: false, reasons } };
  }

  /** What GET /status adds to its plain answer. */
  async status(): Promise<HealthAnswer> {
    const report = await this.#report();
    const reasons = report === undefined ? [STUCK] : unreadiness(report);
    return { status: 200, body: { ready: reasons.length === 0, reasons, ...report } };
  }

  /** undefined when the node's thread does not answer. */
  #report(): Promise<HealthReport | undefined> {
    this.#underWay ??= this.#ask().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #ask(): Promise<HealthReport | undefined> {
    try {
      return await within(Promise.resolve(this.#health.report()), { ms: this.#patienceMs, late: () => undefined });
    } catch {
      return undefined;
    }
  }
}
