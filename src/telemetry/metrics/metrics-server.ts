import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { OperatorError } from "../../errors/operator-error.ts";
import type { Metrics } from "./metrics.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "./prometheus-text.ts";

/** The port for metrics cannot be opened. */
class MetricsPortError extends OperatorError {
  override readonly errorCode: string = "metrics-port";
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException;
    super(`the port for metrics, ${host}:${port}, cannot be opened (${code ?? String(cause)})`, { cause });
    this.name = "MetricsPortError";
    this.host = host;
    this.port = port;
  }
}

interface MetricsServerOptions {
  metrics: Pick<Metrics, "collect">;
  host: string;
  /** 0 takes a free port. */
  port: number;
}

interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Scrapers are few; further connections are refused. */
const MAX_CONNECTIONS = 32;
const TIMEOUT_MS = 10_000;
/** One collection answers all requests that come within this time. */
const REUSED_MS = 250;

/** Serves GET /metrics on a port of its own. Rejects with a MetricsPortError. */
export async function startMetricsServer({ metrics, host, port }: MetricsServerOptions): Promise<MetricsServer> {
  let text = Buffer.alloc(0);
  let collectedAt = Number.NEGATIVE_INFINITY;
  const current = (): Buffer => {
    if (performance.now() - collectedAt > REUSED_MS) {
      text = Buffer.from(prometheusText(metrics.collect()));
      collectedAt = performance.now();
    }
    return text;
  };
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    // A scrape has no body.
    request.resume();
    const path = (request.url ?? "").split("?", 1)[0];
    const { method } = request;
    if (path !== "/metrics") return answer(response, 404, "Not Found");
    if (method !== "GET" && method !== "HEAD")
      return answer(response, 405, "Method Not Allowed", { Allow: "GET, HEAD" });
    answer(response, 200, current(), { "Content-Type": PROMETHEUS_CONTENT_TYPE });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = TIMEOUT_MS;
  try {
    await listening(server, host, port);
  } catch (error) {
    throw new MetricsPortError(host, port, error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function answer(
  response: ServerResponse,
  status: number,
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", ...headers });
  response.end(body);
}
