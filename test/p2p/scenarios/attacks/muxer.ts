import { randomBytes } from "node:crypto";
import type { MessageStream } from "@libp2p/interface";
import type { Attack, AttackStage } from "./attack.ts";
import { ended, many, persist } from "./hostile-peer.ts";
import { FLAG, header, rawMuxer, TYPE } from "./raw-muxer.ts";

const KIB = 1024;
/** Bytes that wait in a hostile peer's socket before it sends on. */
const AHEAD = 256 * KIB;

/** Peers that send `next()` again and again below the muxer; a chunk counts as `units`. */
function wireFlood(
  name: string,
  peers: number,
  { next, units, reads }: { next: (i: number) => Uint8Array; units: number; reads: boolean },
): Attack {
  return {
    name,
    run: (stage: AttackStage) =>
      many(peers, () => {
        let wire: MessageStream | undefined;
        const muxer = rawMuxer((raw) => {
          wire = raw;
          raw.addEventListener("message", () => {});
        });
        return persist(
          stage,
          async (peer) => {
            if (wire === undefined) return;
            if (!reads) wire.pause();
            for (let i = 0; !stage.signal.aborted && peer.open; i++) {
              wire.send(next(i));
              stage.counts.sent += units;
              while (wire.writeBufferLength > AHEAD && peer.open && !stage.signal.aborted) {
                await new Promise((resolve) => setTimeout(resolve, 5));
              }
              await new Promise((resolve) => setImmediate(resolve));
            }
            await ended(stage.signal);
          },
          { muxer },
        );
      }),
  };
}

const repeat = (count: number, make: (i: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));

const pings = repeat(5_000, (i) => header(TYPE.ping, FLAG.syn, 0, i));
const windows = repeat(5_000, () => header(TYPE.window, FLAG.none, 1, 2 ** 32 - 1));
/** Ids of streams that a client opens are odd; each chunk has new ones. */
const opened = (i: number) => repeat(2_000, (n) => header(TYPE.window, FLAG.syn, 2 * (i * 2_000 + n) + 1, 0));
const openedAndReset = (i: number) =>
  repeat(1_000, (n) => {
    const id = 2 * (i * 1_000 + n) + 1;
    return Buffer.concat([header(TYPE.window, FLAG.syn, id, 0), header(TYPE.window, FLAG.rst, id, 0)]);
  });
const huge = (i: number) => (i === 0 ? header(TYPE.data, FLAG.syn, 1, 2 ** 32 - 1) : Buffer.alloc(256 * KIB, 1));
/** One byte of data for each of many frames, on a stream that is never negotiated. */
const crumbs = (i: number) =>
  repeat(5_000, (n) =>
    Buffer.concat([header(TYPE.data, i === 0 && n === 0 ? FLAG.syn : FLAG.none, 1, 1), Buffer.from("a")]),
  );
const empties = (i: number) => repeat(5_000, (n) => header(TYPE.data, i === 0 && n === 0 ? FLAG.syn : FLAG.none, 1, 0));
/** More data than the window of a stream allows. */
const overflow = (i: number) =>
  Buffer.concat([header(TYPE.data, FLAG.syn, 2 * i + 1, 1024 * KIB), Buffer.alloc(1024 * KIB)]);

/** A stream in whose negotiation a name has no end. */
const endless = (i: number) =>
  Buffer.concat([header(TYPE.data, i === 0 ? FLAG.syn : FLAG.none, 1, 32 * KIB), Buffer.alloc(32 * KIB, 0xff)]);
/** Many names that no protocol has, in one stream. */
const NAMES = Buffer.concat([
  Buffer.from("\x13/multistream/1.0.0\n"),
  ...Array.from({ length: 3_000 }, () => Buffer.from("\x09/nothing\n")),
]);
const unknownNames = (i: number) => Buffer.concat([header(TYPE.data, FLAG.syn, 2 * i + 1, NAMES.length), NAMES]);

/** Frames below the streams: what costs the muxer. */
export const MUXER_ATTACKS: readonly Attack[] = [
  wireFlood("a muxer frame of 4 GiB", 4, { next: huge, units: 1, reads: true }),
  wireFlood("muxer pings", 4, { next: () => pings, units: 5_000, reads: true }),
  wireFlood("muxer pings of peers that do not read", 4, { next: () => pings, units: 5_000, reads: false }),
  wireFlood("names of protocols without an end", 4, { next: endless, units: 1, reads: true }),
  wireFlood("thousands of unknown protocols", 4, { next: unknownNames, units: 3_000, reads: true }),
  wireFlood("window updates", 4, { next: () => windows, units: 5_000, reads: true }),
  wireFlood("streams that are never negotiated", 4, { next: opened, units: 2_000, reads: true }),
  wireFlood("streams that are opened and reset", 4, { next: openedAndReset, units: 1_000, reads: true }),
  wireFlood("muxer frames of one byte", 4, { next: crumbs, units: 5_000, reads: true }),
  wireFlood("muxer frames without data", 4, { next: empties, units: 5_000, reads: true }),
  wireFlood("more data than the window", 4, { next: overflow, units: 1, reads: true }),
  wireFlood("garbage below the muxer", 4, { next: () => randomBytes(64 * KIB), units: 1, reads: true }),
];
