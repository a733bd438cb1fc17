import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeText } from "../../src/rpc/codecs/json/encoder.ts";
import { OpenConnections } from "../../src/rpc/limits/open-connections.ts";
import { SharedBuckets } from "../../src/rpc/limits/shared-buckets.ts";
import { SocketCounts } from "../../src/rpc/limits/socket-counts.ts";
import { method, Registry } from "../../src/rpc/registry/registry.ts";
import { startRpcServer } from "../../src/rpc/server/rpc-server.ts";
import { SocketCuts } from "../../src/rpc/subscriptions/socket-cuts.ts";
import type { Listener } from "../../src/rpc/wire/listener.ts";
import { fakeServices, recordingLogger } from "../world/rpc/fakes.ts";
import { MovingChain } from "../world/rpc/moving-chain.ts";
import { SocketClient } from "../world/rpc/socket-client.ts";
import { documentedSettings, Nginx } from "./nginx.ts";

/** As which a client is known that is not behind nginx's own address, which the node trusts. */
const CLIENT = "127.0.0.2";
const registry = new Registry([
  method({
    name: "client",
    params: [],
    handleFrom: ({ caller }) => caller!.client(),
    encode: { node: encodeText },
  }),
]);
const BODY = '{"jsonrpc":"2.0","id":1,"method":"node_client"}';
const ANSWER = `{"jsonrpc":"2.0","id":1,"result":"${CLIENT}"}`;
const FIELDS = "Connection: close\r\nContent-Type: application/json\r\n";
const WHOLE = `${FIELDS}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
const CHUNKED = `POST / HTTP/1.1\r\nHost: a\r\n${FIELDS}Transfer-Encoding: chunked\r\n\r\n`;
const CHUNK = BODY.length.toString(16);
const CALLS = 40;

const isInstalled = spawnSync("nginx", ["-v"]).status === 0;
if (!isInstalled) process.stderr.write("nginx is not installed: its tests are skipped\n");

class CountedConnections extends OpenConnections {
  all = 0;

  override opened(): number {
    this.all += 1;
    return super.opened();
  }
}

describe.skipIf(!isInstalled).each(["auto", "node"] as const)("a node behind nginx, adapter %s", (adapter) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-nginx-"));
  const connections = new CountedConnections();
  let listener: Listener;
  let nginx: Nginx;

  beforeAll(async () => {
    const services = fakeServices();
    const sockets = {
      ...{ maxPerClient: 4, maxSubscriptions: 4, maxFilters: 4, maxMessageBytes: 131_072, maxBuffered: 65_536 },
      ...{ idleTimeoutMs: 60_000, maxBehind: 10 },
    };
    listener = await startRpcServer(
      registry,
      {
        listen: {
          ...{ host: "127.0.0.1", port: 0, adapter },
          proxies: { networks: ["127.0.0.1"], header: "x-forwarded-for" },
          shared: {
            connections,
            rateLimit: SharedBuckets.memory(),
            sockets: new SocketCounts(),
            cuts: new SocketCuts(),
          },
        },
        serve: { namespaces: ["node"] },
        sockets: {
          settings: sockets,
          sources: { ...services, store: new MovingChain(), pool: undefined, poolStatus: async () => undefined },
        },
      },
      recordingLogger(),
    );
    nginx = await Nginx.start(documentedSettings(), `127.0.0.1:${listener.port}`, folder);
  });
  afterAll(async () => {
    await nginx?.stop();
    await listener?.close(0);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends `text` as CLIENT; resolves with the answer when nginx closes. */
  const exchange = (text: string, port = nginx.port) =>
    new Promise<string>((resolve) => {
      let received = "";
      const socket = connect({ port, host: "127.0.0.1", localAddress: CLIENT }, () => socket.write(text));
      socket.on("data", (part) => {
        received += part;
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(received));
    });

  test.each([
    ["HTTP/1.0", `POST / HTTP/1.0\r\n${WHOLE}`],
    ["an empty line before the request line", `\r\nPOST / HTTP/1.1\r\nHost: a\r\n${WHOLE}`],
    ["the absolute form", `POST http://a/ HTTP/1.1\r\nHost: a\r\n${WHOLE}`],
    ["a chunk extension", `${CHUNKED}${CHUNK};a=b\r\n${BODY}\r\n0\r\n\r\n`],
    ["a trailer", `${CHUNKED}${CHUNK}\r\n${BODY}\r\n0\r\nx: y\r\n\r\n`],
  ])("answers a client that sends %s, and knows its address", async (_, text) => {
    const received = await exchange(text);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain(ANSWER);
  });

  test("is asked over connections that stay open", async () => {
    const before = connections.all;
    for (let i = 0; i < CALLS; i++) expect(await exchange(`POST / HTTP/1.1\r\nHost: a\r\n${WHOLE}`)).toContain(ANSWER);
    expect(connections.all - before).toBeLessThan(CALLS / 2);
  });

  test("serves WebSockets", async () => {
    const client = await SocketClient.to(nginx.port);
    expect(await client.call("node_client")).toBe("127.0.0.1");
    await client.leave();
  });

  test(`${adapter === "node" ? "answers" : "refuses"} nginx's old HTTP/1.0`, async () => {
    const own = join(folder, "old");
    mkdirSync(own);
    const settings = documentedSettings().replace(/ *proxy_http_version 1\.1;\n/, "");
    const old = await Nginx.start(settings, `127.0.0.1:${listener.port}`, own);
    try {
      const received = await exchange(`POST / HTTP/1.1\r\nHost: a\r\n${WHOLE}`, old.port);
      if (adapter === "node") expect(received).toContain(ANSWER);
      else expect(received).toMatch(/^HTTP\/1\.1 505 /);
    } finally {
      await old.stop();
    }
  });
});
