import net from "node:net";
import { HOSTILE_SHAPES } from "./shapes.ts";

/** Clients of one kind that use a port until they are stopped, from a loopback address of their own. */
export interface Attack {
  readonly name: string;
  start(port: number, clients: number): void;
}

/** Not that of the honest client. */
const LOCAL_ADDRESS = "127.0.0.66";
/** Time after which such a client leaves. */
const LEAVING_MS = 1_000;
/** Pause before a connection that was closed is opened again. */
const PAUSE_MS = 20;

export function post(body: string | Uint8Array, headers = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}`;
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
}

/**
 * Keeps a connection open and sends `bytes` whenever `again` says so: at the start, and after each piece that comes.
 */
function keepSending(port: number, bytes: Uint8Array, again: (received: Buffer) => boolean): void {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress: LOCAL_ADDRESS });
  socket.on("error", () => undefined);
  socket.once("connect", () => socket.write(bytes));
  socket.on("data", (chunk) => {
    if (again(chunk)) socket.write(bytes);
  });
  socket.once("close", () => setTimeout(() => keepSending(port, bytes, again), PAUSE_MS));
}

/** Whether the end of an answer, which is the end of JSON text, is among what came. */
const answered = (received: Buffer): boolean =>
  received[received.length - 1] === 0x7d || received[received.length - 1] === 0x5d;

/** Clients that send `bytes` and leave, without having read their answers. */
const leaving = (name: string, bytes: Buffer): Attack => ({
  name,
  start(port, clients) {
    const open = (): void => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress: LOCAL_ADDRESS });
      socket.on("error", () => undefined);
      socket.once("connect", () => socket.write(bytes));
      socket.once("close", () => setTimeout(open, PAUSE_MS));
      setTimeout(() => socket.destroy(), LEAVING_MS);
    };
    for (let i = 0; i < clients; i++) open();
  },
});

const repeated = (name: string, bytes: Buffer, again: (received: Buffer) => boolean = answered): Attack => ({
  name,
  start: (port, clients) => {
    for (let i = 0; i < clients; i++) keepSending(port, bytes, again);
  },
});

const call = (method: string, params: unknown[] = []) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const pipelined = (one: Buffer, count: number) => Buffer.concat(Array.from({ length: count }, () => one));
const DESCRIPTIONS = `[${Array.from({ length: 100 }, () => call("rpc.discover")).join(",")}]`;
const NEVER = () => false;

const idle: Attack = {
  name: "6000 idle sockets",
  start(port) {
    const open = (): void => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress: LOCAL_ADDRESS });
      socket.on("error", () => undefined);
      socket.once("close", () => setTimeout(open, PAUSE_MS));
    };
    for (let i = 0; i < 6_000; i++) open();
  },
};

/**
 * `shape:` and a hostile shape's name for bodies of 240 kB, which an RPC thread reads itself when they seem to be a
 * transaction.
 */
export const ATTACKS: readonly Attack[] = [
  repeated("30000 pipelined calls", pipelined(post(call("node_getBlock", [0])), 30_000), NEVER),
  repeated("30000 pipelined calls of a short answer", pipelined(post(call("node_getBlockNumber")), 30_000), NEVER),
  repeated(
    "30000 pipelined requests of nothing",
    pipelined(Buffer.from("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"), 30_000),
    NEVER,
  ),
  leaving("batches of 100 descriptions", post(DESCRIPTIONS)),
  leaving("batches of 100 descriptions, compressed", post(DESCRIPTIONS, "Accept-Encoding: gzip\r\n")),
  repeated("1 MB bodies of a short method", post(call("node_isReady").padEnd(1024 * 1024))),
  idle,
  ...HOSTILE_SHAPES.map(({ name, body }) => repeated(`shape: ${name}`, post(body(240_000)))),
];
