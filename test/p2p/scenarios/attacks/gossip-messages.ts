import { randomBytes } from "node:crypto";
import { compressSync } from "snappy";
import { wrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import type { Attack } from "./attack.ts";
import { compressed, frameFlood, invalidPayload, nameOf, rpc, validPayload, varint } from "./gossip-rpc.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const of = (topic: Parameters<typeof nameOf>[0], datas: Uint8Array[]) =>
  rpc({ messages: datas.map((data) => ({ topic: nameOf(topic), data })) });

/** The body of a raw snappy block behind another declared size. */
function declaring(size: number, data: Uint8Array): Uint8Array {
  const block = compressSync(data);
  const preamble = block.findIndex((byte) => byte < 0x80) + 1;
  return Buffer.concat([varint(size), block.subarray(preamble)]);
}

/** Zeros with something of their own at the start. */
const zeros = (bytes: number) => Buffer.concat([randomBytes(16), Buffer.alloc(bytes - 16)]);
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const signed = () =>
  rpc({
    messages: repeat(8, () => ({
      topic: nameOf("tx"),
      data: compressed(validPayload(100)),
      from: randomBytes(38),
      seqno: randomBytes(8),
      signature: randomBytes(64),
      key: randomBytes(36),
    })),
  });

const replayed = once(() => of("block_proposal", [compressed(validPayload(2_000))]));
const lie = (length: number) => {
  const message = wrapMessage(invalidPayload(40));
  new DataView(message.buffer, message.byteOffset).setUint32(0, length);
  return compressSync(message);
};

/** Messages that cost more than they should, or that no honest peer sends. */
export const MESSAGE_ATTACKS: readonly Attack[] = [
  frameFlood("messages above their topic's limit", 4, () => of("tx", [compressed(invalidPayload(600 * KIB))])),
  frameFlood(
    "attestations above their topic's limit",
    4,
    () =>
      of(
        "checkpoint_attestation",
        repeat(32, () => compressed(invalidPayload(20 * KIB))),
      ),
    32,
  ),
  frameFlood(
    "snappy bombs: 10 MiB from 490 KiB",
    4,
    () =>
      of(
        "block_proposal",
        repeat(8, () => compressSync(zeros(10 * MIB))),
      ),
    8,
  ),
  frameFlood(
    "snappy blocks that declare too small a size",
    4,
    () =>
      of(
        "tx",
        repeat(8, () => declaring(100, zeros(5 * MIB))),
      ),
    8,
  ),
  frameFlood(
    "snappy blocks that declare 4 GiB",
    4,
    () =>
      of(
        "tx",
        repeat(64, () => declaring(2 ** 32 - 1, randomBytes(KIB))),
      ),
    64,
  ),
  frameFlood(
    "messages that are not snappy",
    4,
    () =>
      of(
        "tx",
        repeat(64, () => randomBytes(KIB)),
      ),
    64,
  ),
  frameFlood(
    "lengths in wrappers that lie",
    4,
    () =>
      of(
        "tx",
        repeat(64, () => lie(2 ** 32 - 1)),
      ),
    64,
  ),
  frameFlood(
    "messages without data",
    4,
    () =>
      of(
        "tx",
        repeat(1000, () => new Uint8Array(0)),
      ),
    1000,
  ),
  frameFlood(
    "invalid transactions",
    8,
    () =>
      of(
        "tx",
        repeat(4, () => compressed(invalidPayload(50 * KIB))),
      ),
    4,
  ),
  frameFlood("valid transactions", 4, () => of("tx", [compressed(validPayload(50 * KIB))])),
  frameFlood(
    "small valid messages",
    4,
    () =>
      of(
        "tx",
        repeat(256, () => compressed(validPayload(20))),
      ),
    256,
  ),
  frameFlood("one proposal again and again", 8, replayed),
  frameFlood("different proposals of one position", 4, () => of("block_proposal", [compressed(validPayload(2_000))])),
  frameFlood("messages with sender, sequence number and signature", 4, signed, 8),
  frameFlood(
    "messages on unknown topics",
    4,
    () => rpc({ messages: repeat(100, () => ({ topic: randomBytes(50).toString("hex"), data: randomBytes(KIB) })) }),
    100,
  ),
];
