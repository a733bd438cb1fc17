import net from "node:net";

/** Many plain WebSocket clients in one process. They count the notifications and note when the last one of each came. */

export type ToClients =
  | { ask: "connect"; port: number; count: number }
  /** One client that makes such a call and reads its answer. */
  | { ask: "long"; port: number }
  /** Clients that make calls with long answers and read nothing. */
  | { ask: "silent"; port: number; count: number; calls: number }
  | { ask: "received" }
  | { ask: "end" };
export type FromClients =
  | { kind: "connected" }
  | { kind: "received"; open: number; events: { tips: string; count: number; last: number }[] };

const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"svc_subscribe","params":["tips"]}';
const LONG_CALL = '{"jsonrpc":"2.0","id":1,"method":"node_getBlocks","params":[1,50]}';
const AT_ONCE = 200;

let events = new Map<string, { count: number; last: number }>();
let open = 0;

/** A frame of a client, with a mask of zeros. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("error", reject);
    const head = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13";
    socket.write(`${head}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
    socket.once("data", (answer) => {
      if (!answer.toString("latin1").startsWith("HTTP/1.1 101")) return reject(new Error(answer.toString("latin1")));
      open += 1;
      socket.once("close", () => {
        open -= 1;
      });
      socket.off("error", reject);
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

/** Resolves with the first event, which tells of the tips as they are. */
async function subscriber(port: number): Promise<void> {
  const socket = await connect(port);
  let left = Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
      for (;;) {
        const long = left.length > 1 && (left[1] & 0x7f) === 126;
        const start = long ? 4 : 2;
        if (left.length < start) return;
        const end = start + (long ? left.readUInt16BE(2) : left[1] & 0x7f);
        if (left.length < end) return;
        if (left[0] === 0x81) received(left.toString("latin1", start, end), resolve);
        left = left.subarray(end);
      }
    });
    socket.write(frame(SUBSCRIBE));
  });
}

/** Resolves when a message of at most 4 GiB has come. */
function wholeMessage(socket: net.Socket): Promise<void> {
  let head = Buffer.alloc(0);
  let left: number | undefined;
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      if (left === undefined) {
        head = Buffer.concat([head, chunk]);
        if (head.length < 10) return;
        const length = head[1] & 0x7f;
        const size =
          length === 127 ? 10 + head.readUInt32BE(6) : length === 126 ? 4 + head.readUInt16BE(2) : 2 + length;
        left = size - head.length;
      } else left -= chunk.length;
      if (left <= 0) resolve();
    });
  });
}

function received(text: string, first: () => void): void {
  if (!text.includes('"type":"tips"')) return;
  first();
  const last = Number(process.hrtime.bigint()) / 1e6;
  const known = events.get(text);
  if (known === undefined) events.set(text, { count: 1, last });
  else {
    known.count += 1;
    known.last = last;
  }
}

/** As the node names them: numbers of the proposed and the checkpointed block. */
function tipsOf(text: string): string {
  const { proposed, checkpointed } = JSON.parse(text).params.event.tips;
  return `${proposed.number} ${checkpointed.block.number}`;
}

const tell = (message: FromClients): void => void process.send?.(message);
process.on("message", async (order: ToClients) => {
  if (order.ask === "end") process.exit(0);
  if (order.ask === "received") {
    const all = [...events].map(([text, seen]) => ({
      tips: tipsOf(text),
      ...seen,
    }));
    tell({ kind: "received", open, events: all });
    events = new Map();
    return;
  }
  if (order.ask === "long") {
    const socket = await connect(order.port);
    socket.write(frame(LONG_CALL));
    await wholeMessage(socket);
    socket.destroy();
  } else if (order.ask === "connect") {
    for (let done = 0; done < order.count; done += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, order.count - done) }, () => subscriber(order.port)));
    }
    events = new Map();
  } else {
    for (let i = 0; i < order.count; i++) {
      const socket = await connect(order.port);
      socket.pause();
      for (let call = 0; call < order.calls; call++) socket.write(frame(LONG_CALL));
    }
  }
  tell({ kind: "connected" });
});
