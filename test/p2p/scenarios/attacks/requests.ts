import { randomBytes } from "node:crypto";
import type { Stream } from "@libp2p/interface";
import { compressSync } from "snappy";
import type { RequestProtocol } from "../../../../src/p2p/peers/request-client.ts";
import { encodeStatus } from "../../../../src/p2p/reqresp/codecs/status-message.ts";
import { encodeHashes } from "../../../../src/p2p/reqresp/codecs/tx-list.ts";
import { drained, readRequest, sendAnswer } from "../../../../src/p2p/reqresp/stream-io.ts";
import type { Attack, AttackStage } from "./attack.ts";
import { ended, type HostilePeer, many, pause, persist, send } from "./hostile-peer.ts";
import { SERVED_TXS, servedHash } from "./target.ts";

const MIB = 1024 * 1024;
const PROTOCOLS: readonly RequestProtocol[] = ["ping", "status", "tx", "block_txs", "goodbye"];

/** First byte of the answer; undefined if the stream ended without one. */
function answerOf(stream: Stream): Promise<number | undefined> {
  return new Promise((resolve) => {
    stream.addEventListener("message", ({ data }) => resolve(data.subarray()[0]));
    stream.addEventListener("close", () => resolve(undefined));
  });
}

async function ask(stage: AttackStage, peer: HostilePeer, protocol: RequestProtocol, bytes: Uint8Array) {
  const { counts, signal } = stage;
  const stream = await peer.requestStream(protocol, signal);
  const answer = answerOf(stream);
  counts.sent++;
  await send(stream, bytes);
  await stream.close({ signal });
  if ((await answer) !== 0) counts.refused++;
}

/** Peers that keep `parallel` requests open. */
function requestFlood(
  name: string,
  { peers, parallel, protocol }: { peers: number; parallel: number; protocol: RequestProtocol },
  bytes: () => Uint8Array,
): Attack {
  return {
    name,
    run: (stage) =>
      many(peers, () =>
        persist(stage, async (peer) => {
          await many(parallel, async () => {
            while (!stage.signal.aborted && peer.open) {
              try {
                await ask(stage, peer, protocol, bytes());
              } catch {
                if (!stage.signal.aborted) stage.counts.refused++;
                await pause(10);
              }
            }
          });
        }),
      ),
  };
}

/** Peers that open many streams of all protocols and do something slow with each. */
function slowStreams(name: string, each: (stream: Stream, stage: AttackStage) => Promise<void>): Attack {
  return {
    name,
    run: (stage) =>
      many(8, () =>
        persist(stage, async (peer) => {
          await many(60, async (i) => {
            while (!stage.signal.aborted && peer.open) {
              try {
                const stream = await peer.requestStream(PROTOCOLS[i % PROTOCOLS.length], stage.signal);
                stage.counts.sent++;
                const closed = new Promise((resolve) => stream.addEventListener("close", resolve));
                await Promise.race([each(stream, stage), closed]);
                await Promise.race([closed, ended(stage.signal)]);
                if (stream.status === "reset" && !stage.signal.aborted) stage.counts.refused++;
              } catch {
                if (!stage.signal.aborted) stage.counts.refused++;
                await pause(100);
              }
            }
          });
        }),
      ),
  };
}

const ALL_TXS = encodeHashes(Array.from({ length: 2_000 }, (_, i) => servedHash(i % SERVED_TXS)));
const unknownHashes = () =>
  encodeHashes(Array.from({ length: 2_000 }, () => Buffer.concat([Buffer.alloc(1), randomBytes(31)])));

function bitVector(bits: number, bytes: number): Uint8Array {
  const head = Buffer.alloc(40);
  head.writeUInt32BE(bits, 36);
  return Buffer.concat([head, Buffer.alloc(bytes, 0xff)]);
}

/** Peers that are asked for their status when they connect, and do `answer`; they come again when disconnected. */
function answering(name: string, answer: (stream: Stream, stage: AttackStage) => Promise<void>): Attack {
  return {
    name,
    run: (stage) =>
      many(16, () => {
        const onStatus = (stream: Stream) => {
          stage.counts.sent++;
          readRequest(stream, MIB)
            .then(() => answer(stream, stage))
            .catch(() => {});
        };
        return persist(stage, () => ended(stage.signal), { onStatus });
      }),
  };
}

const status = (version: string) =>
  compressSync(encodeStatus({ version, latestBlock: 2 ** 32 - 1, latestHash: "0xzz", finalizedBlock: 9 }));

/** Requests that are not what they should be, and answers that are not. */
export const REQUEST_ATTACKS: readonly Attack[] = [
  requestFlood("requests of zero bytes", { peers: 4, parallel: 8, protocol: "status" }, () => new Uint8Array(0)),
  requestFlood("status requests beyond the rate", { peers: 4, parallel: 16, protocol: "status" }, () =>
    Buffer.from("x"),
  ),
  requestFlood("ping requests beyond the rate", { peers: 4, parallel: 16, protocol: "ping" }, () => Buffer.from("x")),
  requestFlood("requests of 4 MiB", { peers: 4, parallel: 8, protocol: "tx" }, () => randomBytes(4 * MIB)),
  requestFlood("garbage requests", { peers: 4, parallel: 8, protocol: "block_txs" }, () => randomBytes(2_000)),
  requestFlood("bit vectors of 4 billion bits", { peers: 4, parallel: 8, protocol: "block_txs" }, () =>
    bitVector(2 ** 32 - 1, 60_000),
  ),
  requestFlood("bit vectors of 65,536 set bits", { peers: 4, parallel: 8, protocol: "block_txs" }, () =>
    bitVector(65_536, 8_192),
  ),
  requestFlood("requests for 2,000 unknown transactions", { peers: 4, parallel: 8, protocol: "tx" }, unknownHashes),
  requestFlood("requests for 12 MiB of transactions", { peers: 4, parallel: 8, protocol: "tx" }, () => ALL_TXS),
  requestFlood("goodbyes", { peers: 16, parallel: 16, protocol: "goodbye" }, () => Uint8Array.of(1)),
  slowStreams("streams that ask for nothing", () => Promise.resolve()),
  slowStreams("requests that arrive byte by byte", async (stream, { signal }) => {
    while (!signal.aborted) {
      await send(stream, Uint8Array.of(1));
      await pause(50);
    }
  }),
  slowStreams("requesters that do not read the answer", async (stream) => {
    stream.pause();
    await send(stream, stream.protocol.includes("/tx/") ? ALL_TXS : Uint8Array.of(1));
  }),
  answering("a status of another network", async (stream) => {
    await sendAnswer(stream, 0, status("00-1-00000000-1-00000000-00000000"));
  }),
  answering("statuses that are bombs", async (stream) => {
    await sendAnswer(stream, 0, compressSync(Buffer.alloc(10 * MIB)));
  }),
  answering("statuses without an end", async (stream, { signal }) => {
    await drained(stream);
    while (!signal.aborted) await send(stream, Buffer.alloc(65_536));
  }),
  answering("statuses of garbage", async (stream) => {
    await sendAnswer(stream, randomBytes(1)[0], randomBytes(200));
  }),
  answering("status requests without an answer", () => Promise.resolve()),
];
