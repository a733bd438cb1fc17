import { redactUrl } from "../http/redact.ts";
import { type Logger, silentLogger } from "../telemetry/logger.ts";
import { EndpointHealth, type Probe } from "./endpoint-health.ts";

/** What an endpoint is asked for; a label of metrics. */
export type EndpointService =
  | ("l1" | "l1-debug" | "blobs" | "txs")
  | ("remote-signer" | "signing-database")
  | ("upstream" | "feed");

interface EndpointReading {
  readonly service: EndpointService;
  /** Redacted. */
  readonly endpoint: string;
  readonly health: EndpointHealth;
}

interface EndpointBookOptions {
  logger?: Logger;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
  probeMs?: number;
  restMs?: number;
}

/**
 * An endpoint may fail for this long before its service counts as failed: a restart or one lost answer is no outage.
 */
const OUTAGE_MS = 3_000;

/** The health of all endpoints that a process was configured with, over all their users. */
export class EndpointBook {
  readonly #options: EndpointBookOptions;
  readonly #endpoints = new Map<string, EndpointReading>();

  constructor(options: EndpointBookOptions = {}) {
    this.#options = options;
  }

  /** The health of an endpoint. `probe` is used if nobody has asked for the endpoint before. */
  of(service: EndpointService, url: string, probe: Probe): EndpointHealth {
    const key = `${service} ${url}`;
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known.health;
    const { logger = silentLogger, now, probeMs, restMs } = this.#options;
    const name = redactUrl(url);
    const health = new EndpointHealth({
      ...{ name, probe, now, probeMs, restMs },
      changed: (_, reason) => {
        const facts = { service, endpoint: name };
        if (reason === undefined) logger.info(facts, "the {service} endpoint {endpoint} answers again");
        else logger.warn({ ...facts, reason }, "the {service} endpoint {endpoint} fails");
      },
    });
    this.#endpoints.set(key, { service, endpoint: name, health });
    return health;
  }

  /** All endpoints, in the order in which they were first asked for. */
  read(): EndpointReading[] {
    return [...this.#endpoints.values()];
  }

  /** Whether a service has endpoints and all of them have been failing for some seconds. */
  isOut(service: EndpointService): boolean {
    const all = this.read().filter((endpoint) => endpoint.service === service);
    return all.length > 0 && all.every(({ health }) => health.state === "failing" && health.stateMs >= OUTAGE_MS);
  }

  /** Ends the probes. */
  close(): void {
    for (const { health } of this.#endpoints.values()) health.close();
  }
}
