import { randomBytes } from "node:crypto";
import type { Stream } from "@libp2p/interface";
import type { Attack, AttackStage } from "./attack.ts";
import { varint } from "./gossip-rpc.ts";
import { ended, many, pause, persist, send } from "./hostile-peer.ts";

const MIB = 1024 * 1024;

/** Peers that answer identify with `answer`. */
function identifying(name: string, answer: (stream: Stream, stage: AttackStage) => Promise<void>): Attack {
  return {
    name,
    run: (stage) =>
      many(8, () =>
        persist(
          stage,
          // Comes again at once: the node asks on every new connection.
          () => Promise.race([ended(stage.signal), pause(500)]),
          {
            onIdentify(stream) {
              stage.counts.sent++;
              answer(stream, stage).catch(() => {
                if (!stage.signal.aborted) stage.counts.refused++;
              });
            },
          },
        ),
      ),
  };
}

const field = (number: number, bytes: Uint8Array) =>
  Buffer.concat([Uint8Array.of((number << 3) | 2), varint(bytes.length), bytes]);
const message = (bytes: Uint8Array) => Buffer.concat([varint(bytes.length), bytes]);
const address = () => Buffer.concat([Uint8Array.of(0x04), randomBytes(4), Uint8Array.of(0x06), randomBytes(2)]);
const addresses = () => Buffer.concat(Array.from({ length: 600 }, () => field(2, address())));
const protocols = () => Buffer.concat(Array.from({ length: 250 }, () => field(3, randomBytes(15))));

/** Identify messages that are too large, endless, or full of addresses and protocols. */
export const IDENTIFY_ATTACKS: readonly Attack[] = [
  identifying("identify messages without an end", async (stream, { signal }) => {
    while (!signal.aborted) await send(stream, Buffer.concat([varint(8_000), Buffer.alloc(8_000, 0x7a)]));
  }),
  identifying("identify messages of 4 MiB", (stream) => send(stream, message(randomBytes(4 * MIB)))),
  identifying("identify messages with 600 addresses", (stream) => send(stream, message(addresses()))),
  identifying("identify messages with 250 protocols", (stream) => send(stream, message(protocols()))),
  {
    name: "identify pushes of new addresses",
    run: (stage) =>
      many(4, () =>
        persist(stage, async (peer) => {
          while (!stage.signal.aborted) {
            const stream = await peer.stream("/aztec/id/push/1.0.0", stage.signal);
            await send(stream, message(addresses()));
            await stream.close();
            stage.counts.sent++;
          }
        }),
      ),
  },
  {
    name: "identify requests",
    run: (stage) =>
      many(4, () =>
        persist(stage, async (peer) => {
          while (!stage.signal.aborted) {
            const stream = await peer.stream("/aztec/id/1.0.0", stage.signal);
            stage.counts.sent++;
            const answered = new Promise<void>((resolve) => {
              stream.addEventListener("message", () => resolve());
              stream.addEventListener("close", () => resolve());
            });
            await Promise.race([answered, pause(1_000)]);
            stream.abort(new Error("done"));
          }
        }),
      ),
  },
];
