import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { BrokerConnection } from "../../../src/prover/broker-client/broker-connection.ts";
import { RemoteConsumer } from "../../../src/prover/broker-client/remote-consumer.ts";
import { RemoteProducer } from "../../../src/prover/broker-client/remote-producer.ts";
import { InlineInput } from "../../../src/prover/jobs/inline-uri.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";

interface Seen {
  headers: IncomingHttpHeaders;
  path: string | undefined;
  calls: { id: number; method: string; params: unknown[] }[];
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server whose answers `answer` makes; returns its URL and what it was asked. */
async function brokerThat(
  answer: (seen: Seen, response: ServerResponse) => void,
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      const calls = JSON.parse(text.toString()) as Seen["calls"];
      seen.push({ headers: request.headers, path: request.url, calls });
      answer(seen[seen.length - 1], response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path`, seen };
}

const answers =
  (part: object) =>
  ({ calls }: Seen, response: ServerResponse): void => {
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify([{ jsonrpc: "2.0", id: calls[0].id, ...part }]));
  };

const retryDelaysMs = [1, 1];
const job = { id: "1:PARITY_BASE:00", type: JOB_TYPES.PARITY_BASE, epochNumber: 1, inputsUri: "data:" };

test("a connection to a broker sends arrays of one call to the origin of its URL, with the key", async () => {
  const { url, seen } = await brokerThat(answers({ result: { job, time: 7 } }));
  const consumer = new RemoteConsumer(new BrokerConnection({ contracts: V4.contracts, url, apiKey: "secret" }));
  expect(await consumer.getProvingJob({ allowList: [] })).toEqual({ job, time: 7 });
  expect(seen).toMatchObject([
    {
      path: "/",
      headers: { "x-api-key": "secret" },
      calls: [{ method: "proverBroker_getProvingJob", params: [{ allowList: [] }] }],
    },
  ]);
});

test.each([
  ["another machine", "0.0.0.0", "gzip"],
  ["this machine", "127.0.0.1", undefined],
])("a connection to a broker enqueues a job with a long input at a broker on %s", async (_, host, encoding) => {
  const { url, seen } = await brokerThat(answers({ result: { status: "not-found" } }));
  const producer = new RemoteProducer(
    new BrokerConnection({ contracts: V4.contracts, url: url.replace("127.0.0.1", host) }),
  );
  // Compressed it is several parts of the stream.
  const inputsUri = new InlineInput(job.type, randomBytes(300_000));
  expect(await producer.enqueueProvingJob({ ...job, inputsUri })).toEqual({ status: "not-found" });
  const [{ headers, calls }] = seen;
  expect(headers["content-encoding"]).toBe(encoding);
  expect(calls).toMatchObject([{ method: "proverBroker_enqueueProvingJob" }]);
  const { inputsUri: uri, ...others } = calls[0].params[0] as typeof job;
  expect(others).toEqual({ id: job.id, type: job.type, epochNumber: job.epochNumber });
  expect(uri === String(inputsUri)).toBe(true);
});

test.each([{}, { result: null }])("a connection to a broker reads the answer %o as none", async (part) => {
  const { url } = await brokerThat(answers(part));
  expect(
    await new RemoteConsumer(new BrokerConnection({ contracts: V4.contracts, url })).getProvingJob(),
  ).toBeUndefined();
});

test("a connection to a broker repeats a call after temporary failures and no other", async () => {
  const { url, seen } = await brokerThat((call, response) => {
    if (seen.length < 3) response.writeHead(503).end();
    else answers({})(call, response);
  });
  await new BrokerConnection({ contracts: V4.contracts, url, retryDelaysMs }).call("getProvingJob", []);
  expect(seen).toHaveLength(3);
  const refusing = await brokerThat((_, response) => response.writeHead(401).end());
  await expect(
    new BrokerConnection({ contracts: V4.contracts, url: refusing.url, retryDelaysMs }).call("x", []),
  ).rejects.toThrow("the broker answered with HTTP status 401");
  expect(refusing.seen).toHaveLength(1);
});

test.each([
  ["an error", answers({ error: { code: -32702, message: "no such job" } }), "x was refused: no such job (-32702)"],
  [
    "no JSON",
    (_: Seen, response: ServerResponse) => response.end("<html>"),
    "the broker's answer is not JSON (6 bytes)",
  ],
  ["another id", (_: Seen, response: ServerResponse) => response.end('[{"id":0}]'), "is not one to the call"],
  [
    "a limit on bodies",
    (_: Seen, response: ServerResponse) =>
      // Of the reference, as if another attempt could help.
      response.writeHead(500).end('{"error":{"code":-32600,"message":"request entity too large"}}'),
    /takes no request of \d+ bytes: raise its RPC_MAX_BODY_SIZE/,
  ],
  [
    "another release",
    (seen: Seen, response: ServerResponse) => {
      response.setHeader("x-aztec-l2CircuitsVkTreeRoot", "0x01");
      answers({})(seen, response);
    },
    "the broker is of another release: x-aztec-l2CircuitsVkTreeRoot is 0x01, must be 0x1dd2",
  ],
])("a connection to a broker says what is wrong when the broker answers with %s", async (_, answer, message) => {
  const { url } = await brokerThat(answer);
  await expect(new BrokerConnection({ contracts: V4.contracts, url, retryDelaysMs }).call("x", [])).rejects.toThrow(
    message,
  );
});

test.each([
  [{ job, time: "7" }, "time must be a number"],
  [{ job: { ...job, type: 18 }, time: 7 }, "job.type must be the number of a job type"],
  [{ time: 7 }, "job.id must be text"],
  ["job", "time must be a number"],
])("a connection to a broker refuses the job %o", async (result, message) => {
  const { url } = await brokerThat(answers({ result }));
  await expect(
    new RemoteConsumer(new BrokerConnection({ contracts: V4.contracts, url })).getProvingJob(),
  ).rejects.toThrow(message);
});
