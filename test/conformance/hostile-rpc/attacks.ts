import net from "node:net";
import { HOSTILE_SHAPES } from "../../world/rpc/hostile-shapes.ts";
import { frameHead, UPGRADE } from "../../world/rpc/socket-client.ts";

/** Clients of one kind that load a port until their process ends, from a loopback address of their own. */
export interface Attack {
  readonly name: string;
  start(port: number, clients: number): void;
}

/** Differs from the address of the honest client. */
const LOCAL_ADDRESS = "127.0.0.66";
/** Time after which a leaving client closes its connection. */
const LEAVING_MS = 1_000;
/** Pause before a closed connection is reopened. */
const PAUSE_MS = 20;

export function post(body: string | Uint8Array, headers = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}`;
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
}

/** Keeps a connection open. Sends `bytes` at the start, and after each received chunk for which `again` is true. */
function keepSending(port: number, bytes: Uint8Array, again: (received: Buffer) => boolean): void {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress: LOCAL_ADDRESS });
  socket.on("error", () => undefined);
  socket.once("connect", () => socket.write(bytes));
  socket.on("data", (chunk) => {
    if (again(chunk)) socket.write(bytes);
  });
  socket.once("close", () => setTimeout(() => keepSending(port, bytes, again), PAUSE_MS));
}

/** Whether a chunk ends an answer: its last byte is the closing `}` or `]` of JSON text. */
const answered = (received: Buffer): boolean =>
  received[received.length - 1] === 0x7d || received[received.length - 1] === 0x5d;

/** Clients that send `bytes` and leave without reading the answers. */
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

/** Opens a WebSocket again and again, and calls `opened` each time. Nothing that the node sends is read. */
function keepSocket(port: number, localAddress: string, opened: (socket: net.Socket) => void): void {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  socket.once("connect", () => socket.write(UPGRADE));
  socket.once("data", () => {
    socket.pause();
    opened(socket);
  });
  socket.once("close", () => setTimeout(() => keepSocket(port, localAddress, opened), PAUSE_MS));
}

const PING = Buffer.concat([frameHead(0x89, 125), Buffer.alloc(125)]);

const unreadPings: Attack = {
  name: "WebSocket pings, answers not read",
  start(port, clients) {
    const pings = pipelined(PING, 500);
    for (let i = 0; i < clients; i++) {
      keepSocket(port, LOCAL_ADDRESS, (socket) => {
        const more = (): void => {
          while (socket.writable && socket.write(pings));
        };
        socket.on("drain", more);
        more();
      });
    }
  },
};

const UNFINISHED_SOCKETS = 600;
const SOCKETS_OF_AN_ADDRESS = 60;

const unfinishedMessages: Attack = {
  name: `${UNFINISHED_SOCKETS} WebSockets with unfinished messages`,
  start(port) {
    const length = 1024 * 1024;
    const part = Buffer.concat([frameHead(0x81, length), Buffer.alloc(length - 1, " ")]);
    for (let i = 0; i < UNFINISHED_SOCKETS; i++) {
      keepSocket(port, `127.0.1.${Math.floor(i / SOCKETS_OF_AN_ADDRESS)}`, (socket) => socket.write(part));
    }
  },
};

/**
 * Attacks named `shape: ...` send 240 kB of a hostile shape: small enough for an RPC thread to read it itself if it
 * looks like a transaction.
 */
export const ATTACKS: readonly Attack[] = [
  repeated("30000 pipelined calls", pipelined(post(call("node_getBlock", [0])), 30_000), NEVER),
  repeated("30000 pipelined calls of a short answer", pipelined(post(call("node_getBlockNumber")), 30_000), NEVER),
  repeated(
    "30000 pipelined requests of an unknown path",
    pipelined(Buffer.from("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"), 30_000),
    NEVER,
  ),
  leaving("batches of 100 descriptions", post(DESCRIPTIONS)),
  leaving("batches of 100 descriptions, compressed", post(DESCRIPTIONS, "Accept-Encoding: gzip\r\n")),
  repeated("1 MB bodies of a short method", post(call("node_isReady").padEnd(1024 * 1024))),
  idle,
  unreadPings,
  unfinishedMessages,
  ...HOSTILE_SHAPES.map(({ name, body }) => repeated(`shape: ${name}`, post(body(240_000)))),
];
