import { writeU32 } from "../../../../src/protocol/bytes.ts";
import type { Random } from "../../../support/random.ts";

type Mutation = (bytes: Uint8Array, random: Random) => Uint8Array;

const LENGTHS = [0, 1, 2, 255, 256, 65_535, 65_536, 65_537, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

function changed(bytes: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (copy.length > 0) change(copy);
  return copy;
}

/** A stretch of at most `most` bytes. */
function stretch(bytes: Uint8Array, random: Random, most = 256): { at: number; length: number } {
  const at = random.below(bytes.length);
  return { at, length: Math.min(bytes.length - at, 1 + random.below(most)) };
}

const MUTATIONS: Record<string, Mutation> = {
  "flipped bit": (bytes, random) =>
    changed(bytes, (copy) => {
      copy[random.below(copy.length)] ^= 1 << random.below(8);
    }),
  "flipped bit near the start": (bytes, random) =>
    changed(bytes, (copy) => {
      copy[random.below(Math.min(copy.length, 64))] ^= 1 << random.below(8);
    }),
  "other byte": (bytes, random) =>
    changed(bytes, (copy) => {
      copy[random.below(copy.length)] = random.below(256);
    }),
  "extreme length": (bytes, random) =>
    bytes.length < 4
      ? bytes
      : changed(bytes, (copy) => writeU32(copy, random.below(copy.length - 3), random.pick(LENGTHS))),
  "word of ones": (bytes, random) =>
    changed(bytes, (copy) => {
      const at = random.below(copy.length);
      copy.fill(255, at, at + 32);
    }),
  zeros: (bytes, random) =>
    changed(bytes, (copy) => {
      const { at, length } = stretch(copy, random);
      copy.fill(0, at, at + length);
    }),
  noise: (bytes, random) =>
    changed(bytes, (copy) => {
      const { at, length } = stretch(copy, random, 64);
      copy.set(random.bytes(length), at);
    }),
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  "cut by little": (bytes, random) => bytes.subarray(0, Math.max(0, bytes.length - 1 - random.below(80))),
  appended: (bytes, random) => Uint8Array.from(Buffer.concat([bytes, random.bytes(1 + random.below(80))])),
  repeated: (bytes, random) => {
    if (bytes.length === 0) return bytes;
    const { at, length } = stretch(bytes, random);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]));
  },
  removed: (bytes, random) => {
    if (bytes.length === 0) return bytes;
    const { at, length } = stretch(bytes, random);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]));
  },
  garbage: (_, random) => Uint8Array.from(random.bytes(random.below(700))),
};

const NAMES = Object.keys(MUTATIONS);

/** One or two random changes of a message. */
export function mutate(bytes: Uint8Array, random: Random): { bytes: Uint8Array; names: string[] } {
  const names = Array.from({ length: 1 + random.below(2) }, () => random.pick(NAMES));
  return { bytes: names.reduce((message, name) => MUTATIONS[name](message, random), bytes), names };
}
