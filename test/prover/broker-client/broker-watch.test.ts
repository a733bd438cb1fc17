import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { BrokerWatch } from "../../../src/prover/broker-client/broker-watch.ts";
import { observeBrokerWatch } from "../../../src/prover/node/metrics.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";

async function listen(port: number, status: () => number, asked: () => void): Promise<Server> {
  const server = createServer((_, response) => {
    asked();
    response.writeHead(status()).end();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

test("a broker that goes away is logged and shown once, and so is its return", async () => {
  let status = 200;
  let requests = 0;
  const asked = () => void requests++;
  const several = (): Promise<void> => {
    const enough = requests + 3;
    return vi.waitFor(() => expect(requests).toBeGreaterThanOrEqual(enough), 20_000);
  };
  let server = await listen(0, () => status, asked);
  const { port } = server.address() as AddressInfo;
  const lines: string[] = [];
  const logger = {
    warn: (_: object, message?: string) => void lines.push(`warn ${message}`),
    info: (_: object, message?: string) => void lines.push(`info ${message}`),
  };
  const metrics = new Metrics((error) => {
    throw error;
  });
  const watch = new BrokerWatch({ url: `http://127.0.0.1:${port}/some/path`, logger, intervalMs: 5 });
  observeBrokerWatch(metrics, watch);
  const metric = () => /^svc_prover_node_broker_reachable (.*)$/m.exec(prometheusText(metrics.collect()))?.[1];
  const away = "warn the proving broker cannot be reached, jobs wait for it: {reason}";
  const back = "info the proving broker can be reached again";
  try {
    watch.start();
    await several();
    expect([watch.health.read(), metric(), lines]).toEqual([{ state: "ok" }, "1", []]);

    await close(server);
    await vi.waitFor(() => expect(watch.health.read().state).toBe("failed"), 20_000);
    expect([metric(), lines]).toEqual(["0", [away]]);
    expect(watch.health.read().reason).not.toContain("127.0.0.1");

    // A proxy before a broker that is away. It follows on the outage, which goes on.
    status = 503;
    server = await listen(port, () => status, asked);
    await several();
    expect([watch.health.read().reason, lines]).toEqual([
      "the proving broker cannot be reached: HTTP status 503",
      [away],
    ]);

    status = 404;
    await vi.waitFor(() => expect(watch.health.read()).toEqual({ state: "ok" }), 20_000);
    await several();
    expect([metric(), lines]).toEqual(["1", [away, back]]);
  } finally {
    watch.stop();
    await close(server);
  }
});
