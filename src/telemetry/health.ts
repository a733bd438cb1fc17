/**
 * State of a component. `off` is not asked for by the configuration, and never counts against readiness; `waiting` is
 * on its way to `ok` by itself; `failed` needs somebody, or the outside world, to change.
 */
export type HealthState = "ok" | "off" | "waiting" | "failed";

export interface HealthReading {
  readonly state: HealthState;
  /** Shown to anybody who asks for the node's health: no addresses of endpoints, no secrets. */
  readonly reason?: string;
}

/** How one component reports its health. Reading costs microseconds and never throws. */
export interface HealthProbe {
  readonly name: string;
  read(): HealthReading;
}

export const HEALTHY: HealthReading = { state: "ok" };
