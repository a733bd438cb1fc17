import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { AnswerBudget } from "../../../src/rpc/limits/answer-budget.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { Connection } from "../../world/rpc/connection.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const registry = new Registry([
  method({
    name: "text",
    params: [param("length", plainNumber())],
    handle: (length) => "x".repeat(length),
    encode: { node: encodeText },
    raw: {
      node: (body, from, to, out) => {
        out.value("x".repeat(JSON.parse(Buffer.from(body).toString("latin1", from, to))[0]));
        return true;
      },
    },
  }),
]);

let listener: Listener;
afterEach(() => listener.close(0));

async function start(budget = new AnswerBudget(), listen = listenWithUws): Promise<void> {
  const log = recordingLogger();
  const application = new RpcApplication(
    new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, log),
    { maxBodyBytes: 65_536, versionHeaders: [], healthy: () => true },
    log,
  );
  const times = { requestTimeoutMs: 1_500, stallTimeoutMs: 60_000 };
  listener = await listen(application, { host: "127.0.0.1", port: 0, budget, ...times });
}

const request = (length: number) => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"node_text","params":[${length}]}`;
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test.each([10, 900, 5_000, 60_000, 200_000])(
  "a client that sends requests without reading answers of %i bytes is cut off",
  async (length) => {
    await start();
    const socket = net.connect(listener.port, "127.0.0.1");
    let ended = false;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      ended = true;
    });
    socket.pause();
    const many = request(length).repeat(Math.min(1_000, Math.ceil(20e6 / length)));
    for (let i = 0; !ended; i++) {
      if (i < 400) socket.write(many);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const other = await Connection.to(listener.port);
    expect((await other.call("node_text", [3])).body).toMatchObject({ result: "xxx" });
    other.leave();
  },
);

test.each([
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
])(
  "unread answers of %s share one budget: beyond it the answer is 503 until a client leaves",
  async (_name, listen) => {
    const budget = new AnswerBudget(12e6);
    await start(budget, listen);
    const idle = Array.from({ length: 2 }, () => {
      const socket = net.connect(listener.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.pause();
      socket.write(request(10e6));
      return socket;
    });
    await expect.poll(() => budget.waiting).toBeGreaterThan(9e6);
    expect(budget.waiting).toBeLessThan(12e6);
    const other = await Connection.to(listener.port);
    const refused = await other.call("node_text", [10e6]);
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: -32005, message: "The node is busy: too many answers wait to be taken" } },
    });
    expect(refused.head).toMatch(/retry-after: 1/i);
    await other.closed;
    for (const socket of idle) socket.destroy();
    await expect.poll(() => budget.waiting).toBe(0);
    const again = await Connection.to(listener.port);
    expect((await again.call("node_text", [10e6])).status).toBe(200);
    again.leave();
  },
);
