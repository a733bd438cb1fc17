import type { ComponentHealth, HealthReport, NodeHealth } from "../../rpc/ports/node-health.ts";
import type { HealthProbe, HealthState } from "../../telemetry/health.ts";

const SAMPLE_MS = 1_000;

/** The figures of a report, without the components. */
type HealthFigures = Omit<HealthReport, "components">;

/**
 * The health of all components of a node. Reads them once a second, so that `since` is right to a second even where
 * nobody asks.
 */
export class HealthBoard implements NodeHealth {
  readonly #probes: readonly HealthProbe[];
  readonly #figures: () => HealthFigures;
  readonly #since = new Map<string, { state: HealthState; at: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(probes: readonly HealthProbe[], figures: () => HealthFigures) {
    this.#probes = probes;
    this.#figures = figures;
    this.#read();
    this.#timer = setInterval(() => this.#read(), SAMPLE_MS).unref();
  }

  report(): HealthReport {
    return { ...this.#figures(), components: this.#read() };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #read(): ComponentHealth[] {
    return this.#probes.map((probe) => {
      const { name } = probe;
      const reading = probe.read();
      const last = this.#since.get(name);
      const at = last?.state === reading.state ? last.at : Date.now();
      this.#since.set(name, { state: reading.state, at });
      return { name, ...reading, since: new Date(at).toISOString() };
    });
  }
}
