import { randomBytes } from "node:crypto";
import type { Attack } from "./attack.ts";
import { compressed, frame, frameFlood, gossipStream, nameOf, rpc, validPayload, varint } from "./gossip-rpc.ts";
import { ended, GOSSIP, many, persist, send } from "./hostile-peer.ts";

const MIB = 1024 * 1024;

const GARBAGE = Array.from({ length: 4 }, () => frame(randomBytes(3 * MIB)));
let next = 0;

/** Protobuf fields that no reader knows, each of two bytes. */
const UNKNOWN_FIELDS = frame(Buffer.alloc(3 * MIB, Uint8Array.of(0x78, 0x01)));
/** Empty messages, each of two bytes. */
const EMPTY_PARTS = frame(Buffer.alloc(3 * MIB, Uint8Array.of(0x12, 0x00)));
/** Nested lengths: a message whose data claims to be longer than the frame. */
const CUT_OFF = frame(Buffer.concat([Uint8Array.of(0x12), varint(2 ** 31), Buffer.alloc(1000)]));

/** Frames of the gossip stream that are too large, not complete or not decodable. */
export const FRAME_ATTACKS: readonly Attack[] = [
  frameFlood("frames above 4 MiB", 4, () => Buffer.concat([varint(16 * MIB), Buffer.alloc(MIB)])),
  frameFlood("frame lengths without an end", 4, () => Buffer.alloc(65_536, 0xff)),
  frameFlood("garbage protobufs of 3 MiB", 4, () => GARBAGE[next++ % GARBAGE.length]),
  frameFlood("frames of 1.5 million unknown fields", 4, () => UNKNOWN_FIELDS),
  frameFlood("frames of 1.5 million empty messages", 4, () => EMPTY_PARTS),
  frameFlood("protobufs that are cut off", 4, () => CUT_OFF),
  frameFlood("empty frames", 4, () => Buffer.alloc(65_536, 0), 65_536),
  {
    name: "unfinished frames of 4 MiB on 128 streams a peer",
    run: (stage) =>
      many(4, () =>
        persist(stage, async (peer) => {
          const part = Buffer.concat([varint(4 * MIB), Buffer.alloc(4 * MIB - 1000, 1)]);
          await many(128, async (i) => {
            const protocols = ["/meshsub/1.0.0", GOSSIP, "/meshsub/1.2.0", "/floodsub/1.0.0"];
            stage.counts.sent++;
            try {
              await send(await peer.stream(protocols[i % 4], stage.signal), part);
            } catch {
              if (!stage.signal.aborted) stage.counts.refused++;
            }
          });
          await ended(stage.signal);
        }),
      ),
  },
  {
    name: "frames that arrive byte by byte",
    run: (stage) =>
      many(4, () =>
        persist(stage, async (peer) => {
          const stream = await gossipStream(peer, stage.signal);
          const bytes = frame(rpc({ messages: [{ topic: nameOf("tx"), data: compressed(validPayload(1_000_000)) }] }));
          for (let at = 0; at < bytes.length && !stage.signal.aborted; at++) {
            stream.send(bytes.subarray(at, at + 1));
            if (at % 256 === 0) await send(stream, bytes.subarray(++at, at + 1));
            stage.counts.sent++;
          }
        }),
      ),
  },
];
