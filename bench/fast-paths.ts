/**
 * What the fast paths of RPC save, as `node bench/fast-paths.ts [--help]`: CPU time of the server's process for a
 * request
 * without the scanner of envelopes, and without the route for plain POST requests, over that with both, in alternate
 * pairs over a synthetic state. A fast path that saves no more than a tenth is not worth its code.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResultTable } from "./lib/measurement.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { SeededBytes } from "./lib/seeded-bytes.ts";
import type { ServedPorts } from "./lib/serve-fast-paths.ts";
import { inStateProcess } from "./lib/state-processes.ts";
import { inPairs, median, ratiosOf, spreadOf } from "./lib/statistics.ts";
import { call } from "./lib/wrk.ts";

const { repeats, requests, leaves, json } = scriptOptions("bench/fast-paths.ts", {
  repeats: wholeOption("pairs of each row", 3),
  requests: wholeOption("requests of one measurement", 20_000),
  leaves: wholeOption("leaves of each tree", 100_000),
  json: JSON_FILE,
});
const CONNECTIONS = 16;
const BATCH = 20;

const random = new SeededBytes(7);
const witness = () =>
  call("node_getLowNullifierMembershipWitness", ["latest", `0x${Buffer.from(random.field()).toString("hex")}`]);
const many = (make: () => string) => Array.from({ length: 64 }, make);
const rows = [
  { name: "getBlockNumber", bodies: [call("node_getBlockNumber", [])], share: 1 },
  { name: "low-nullifier witness", bodies: many(witness), share: 1 },
  {
    name: `batch of ${BATCH} low-nullifier witnesses`,
    bodies: many(() => `[${Array.from({ length: BATCH }, witness).join(",")}]`),
    share: 1 / BATCH,
  },
];

function requestOf(body: string): Buffer {
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** Length of the response at the start of `bytes`; undefined as long as its head is not complete. */
function responseLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`not answered: ${head.split("\r\n", 1)[0]}`);
  return end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1]);
}

/** Sends requests one after the other on each of some connections. */
async function drive(port: number, sent: readonly Buffer[], count: number): Promise<void> {
  let left = count;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let received: Buffer = Buffer.alloc(0);
      let expected: number | undefined;
      const next = (): void => {
        if (left > 0) return void socket.write(sent[left-- % sent.length]);
        socket.destroy();
        resolve();
      };
      socket.setNoDelay(true).once("connect", next).once("error", reject);
      socket.on("data", (part) => {
        received = received.length === 0 ? part : Buffer.concat([received, part]);
        try {
          expected ??= responseLength(received);
        } catch (error) {
          return reject(error);
        }
        if (expected === undefined || received.length < expected) return;
        received = received.subarray(expected);
        expected = undefined;
        next();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

async function told(server: ChildProcess): Promise<unknown> {
  const [message] = await once(server, "message");
  return message;
}

const folder = mkdtempSync(join(tmpdir(), "svc-bench-fast-paths-"));
let server: ChildProcess | undefined;
try {
  await inStateProcess("fill", folder, leaves, leaves);
  const child = fork(join(import.meta.dirname, "lib", "serve-fast-paths.ts"), [folder], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  server = child;
  const ports = (await told(child)) as ServedPorts;
  const cpuUs = (): Promise<number> => {
    const answer = told(child);
    child.send("cpu");
    return answer as Promise<number>;
  };
  const table: ResultTable["rows"] = [];
  for (const { name, bodies, share } of rows) {
    const sent = bodies.map(requestOf);
    const count = Math.max(1_000, Math.round(requests * share));
    const measure = async (port: number): Promise<number> => {
      const before = await cpuUs();
      await drive(port, sent, count);
      return ((await cpuUs()) - before) / count;
    };
    for (const port of Object.values(ports)) await measure(port);
    for (const [without, port] of [
      ["the scanner", ports.withoutScanner],
      ["the plain route", ports.withoutPlainPost],
    ] as const) {
      const pairs = await inPairs(
        repeats,
        () => measure(port),
        () => measure(ports.all),
      );
      const { median: ratio, min, max } = spreadOf(ratiosOf(pairs));
      const row = {
        row: `${name}, without ${without}`,
        "us without": Number(median(pairs.map(({ ours }) => ours)).toFixed(1)),
        "us with": Number(median(pairs.map(({ theirs }) => theirs)).toFixed(1)),
        ratio: Number(ratio.toFixed(2)),
        spread: `${min.toFixed(2)} to ${max.toFixed(2)}`,
      };
      table.push(row);
    }
  }
  console.table(Object.fromEntries(table.map(({ row, ...figures }) => [row, figures])));
  if (json !== undefined) writeFileSync(json, JSON.stringify(table));
} finally {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}
