import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { bigUintBytes, concat, fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import { FR_MODULUS } from "../../src/protocol/field.ts";
import { BUILDS } from "./builds.ts";
import { readVectors, words } from "./support/vectors.ts";

const { poseidon2 } = readVectors<{
  poseidon2: {
    permutation: { input: string[]; output: string[] }[];
    hash: { inputs: string[]; hash: string }[];
    hashWithSeparator: { separator: number | string; inputs: string[]; hash: string }[];
    hashBytes: { bytes: string; hash: string }[];
    blobSponge: { cases: { inputs: string[] | string; hash: string }[] };
  };
}>("crypto.json");
const edgeWords = [
  new Uint8Array(32),
  bigUintBytes(1n, 32),
  bigUintBytes(FR_MODULUS - 1n, 32),
  bigUintBytes(FR_MODULUS, 32),
  bigUintBytes((1n << 254n) - 1n, 32),
  new Uint8Array(32).fill(255),
];

/** Words of any 256 bits, back to back. */
const fields = (min: number, max: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...edgeWords), fc.uint8Array({ minLength: 32, maxLength: 32 })), {
      minLength: min,
      maxLength: max,
    })
    .map((values) => concat(...values));

describe.each(BUILDS)("with the %s build", (build) => {
  const core = loadCore({ build });

  /** Inputs may be the text "1..n" for the integers 1 to n. */
  function inputWords(inputs: string[] | string): Uint8Array {
    const flat = typeof inputs === "string" ? [inputs] : inputs;
    const range = flat.length === 1 ? /^1\.\.(\d+)$/.exec(flat[0]) : null;
    if (range === null) return words(flat);
    return concat(
      ...Array.from({ length: Number(range[1]) }, (_, i) => fromHex((i + 1).toString(16).padStart(64, "0"))),
    );
  }

  describe("Poseidon2", () => {
    test.each(poseidon2.permutation)("the permutation of $input is that of the vectors", ({ input, output }) => {
      expect(core.permute(words(input))).toEqual(words(output));
    });

    test.each(poseidon2.hash)("the hash of $inputs.length fields is that of the vectors: $hash", ({ inputs, hash }) => {
      expect(toHex(core.hash(inputWords(inputs)))).toBe(hash);
    });

    test.each(poseidon2.hashWithSeparator)(
      "a hash with separator $separator is that of the vectors: $hash",
      ({ separator, inputs, hash }) => {
        expect(toHex(core.hashWithSeparator(BigInt(separator), inputWords(inputs)))).toBe(hash);
      },
    );

    test.each(poseidon2.hashBytes)("a hash of bytes is that of the vectors: $hash", ({ bytes, hash }) => {
      expect(toHex(core.hashBytes(fromHex(bytes)))).toBe(hash);
    });

    test.each(poseidon2.blobSponge.cases)(
      "a blob sponge squeezes the value of the vectors: $hash",
      ({ inputs, hash }) => {
        const sponge = core.blobSponge();
        sponge.absorb(inputWords(inputs));
        expect(toHex(sponge.squeeze())).toBe(hash);
      },
    );
  });

  describe("forms of the same hash", () => {
    test("hashing many inputs of one length at once equals hashing them one at a time", () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 7 }), fields(0, 24), (arity, values) => {
          const count = Math.floor(values.length / 32 / arity);
          const inputs = values.slice(0, count * arity * 32);
          const hashes = core.hashMany(inputs, arity);
          expect(hashes.length).toBe(count * 32);
          for (let i = 0; i < count; i++) {
            expect(word(hashes, i)).toEqual(core.hash(inputs.subarray(i * arity * 32, (i + 1) * arity * 32)));
          }
        }),
        { numRuns: 150 },
      );
    });

    test("a batch gives the hash of every vector, whichever lane it is in", () => {
      const byLength = Map.groupBy(poseidon2.hash, ({ inputs }) => inputWords(inputs).length / 32);
      for (const [arity, cases] of byLength) {
        if (arity === 0) continue;
        const inputs = cases.flatMap(({ inputs }) => [inputWords(inputs), inputWords(inputs)]);
        const expected = cases.flatMap(({ hash }) => [fromHex(hash), fromHex(hash)]);
        expect(core.hashMany(concat(...inputs), arity)).toEqual(concat(...expected));
        expect(
          core.hashMany(concat(edgeWords[0], ...new Array(arity - 1).fill(edgeWords[0]), ...inputs), arity),
        ).toEqual(concat(core.hash(new Uint8Array(arity * 32)), ...expected));
      }
    });

    test("hashing inputs of different lengths at once equals hashing them one at a time", () => {
      const input = fc.record({
        fields: fields(0, 14),
        separator: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { nil: undefined }),
      });
      fc.assert(
        fc.property(fc.array(input, { maxLength: 7 }), (inputs) => {
          const expected = inputs.map(({ separator, fields }) =>
            separator === undefined ? core.hash(fields) : core.hashWithSeparator(separator, fields),
          );
          expect(core.hashEach(inputs)).toEqual(expected);
        }),
        { numRuns: 200 },
      );
    });

    test("zero words in one lane or both are absorbed as by the scalar build, also long runs of them", () => {
      const scalar = loadCore({ build: "scalar" });
      const sparse = fc
        .array(fc.oneof({ weight: 4, arbitrary: fc.constant(edgeWords[0]) }, fc.constantFrom(...edgeWords.slice(1))), {
          minLength: 1,
          maxLength: 14,
        })
        .map((values) => ({ fields: concat(...values) }));
      fc.assert(
        fc.property(fc.array(sparse, { minLength: 1, maxLength: 4 }), (inputs) => {
          const expected = inputs.map(({ fields }) => scalar.hash(fields));
          expect(core.hashEach(inputs)).toEqual(expected);
          expect(inputs.map(({ fields }) => core.hash(fields))).toEqual(expected);
        }),
        { numRuns: 100 },
      );
      const long = new Uint8Array(300 * 32);
      long.set(edgeWords[5], 3 * 32);
      expect(core.hashEach([{ fields: long }, { fields: long.subarray(32) }])).toEqual(
        [long, long.subarray(32)].map((fields) => scalar.hash(fields)),
      );
    });

    test("all vectors hashed at once, in any order, give their hashes", () => {
      const cases = poseidon2.hash.map(({ inputs, hash }) => ({ fields: inputWords(inputs), hash: fromHex(hash) }));
      for (let turn = 0; turn < cases.length; turn++) {
        const turned = [...cases.slice(turn), ...cases.slice(0, turn)];
        expect(core.hashEach(turned)).toEqual(turned.map(({ hash }) => hash));
      }
    });

    test("a blob sponge's hash does not depend on how its words are divided, and squeezing does not change the sponge", () => {
      fc.assert(
        fc.property(fields(0, 12), fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 }), (values, cuts) => {
          const whole = core.blobSponge();
          whole.absorb(values);
          const divided = core.blobSponge();
          let at = 0;
          for (const cut of cuts) {
            divided.absorb(values.subarray(at, at + cut * 32));
            at = Math.min(values.length, at + cut * 32);
            divided.squeeze();
          }
          divided.absorb(values.subarray(at));
          expect(divided.squeeze()).toEqual(whole.squeeze());
          expect(divided.squeeze()).toEqual(whole.squeeze());
        }),
        { numRuns: 50 },
      );
    });

    test("a batch that exceeds the reserved memory grows it and keeps its results", () => {
      const fresh = loadCore({ build });
      const pair = concat(core.merkle().zeroHashes[3], core.merkle().zeroHashes[3]);
      const sponge = fresh.blobSponge();
      sponge.absorb(pair);
      fresh.hashBytes(new Uint8Array(1 << 22).subarray(0, 300_000));
      expect(fresh.hash(pair)).toEqual(core.merkle().zeroHashes[4]);
      const same = core.blobSponge();
      same.absorb(pair);
      expect(sponge.squeeze()).toEqual(same.squeeze());
    });

    test("a hash argument that is not whole words is refused", () => {
      expect(() => core.hash(new Uint8Array(33))).toThrow("fields must be whole 32-byte words, got 33 bytes");
      expect(() => core.hashEach([{ fields: new Uint8Array(33) }])).toThrow("fields must be whole 32-byte words");
      expect(() => core.hashMany(new Uint8Array(32), 2)).toThrow("inputs must be whole runs of 64 bytes, got 32");
      expect(() => core.permute(new Uint8Array(96))).toThrow("state must be 128 bytes, got 96");
    });
  });
});

describe("the builds of the core", () => {
  const cores = BUILDS.map((build) => loadCore({ build }));
  const scalar = loadCore({ build: "scalar" });

  test("the core loads the build that was asked for, and lanes by default, on a processor with fused multiply-adds", () => {
    expect(cores.map(({ build }) => build)).toEqual(BUILDS);
    expect(loadCore().build).toBe("lanes");
  });

  test("all builds give the same hashes, alone and in batches", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fields(0, 28), (arity, values) => {
        const inputs = values.subarray(0, values.length - (values.length % (arity * 32)));
        for (const core of cores) {
          expect(core.hashMany(inputs, arity)).toEqual(scalar.hashMany(inputs, arity));
          expect(core.hash(values)).toEqual(scalar.hash(values));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a batch that needs more memory than one call may take gives the hashes of single calls", () => {
    const core = loadCore();
    const long = { fields: new Uint8Array(70_000 * 32).fill(1, 0, 31) };
    const short = { fields: edgeWords[1] };
    const expected = core.hash(long.fields);
    expect(core.hashEach([long, short, long])).toEqual([expected, core.hash(short.fields), expected]);
  });

  test("all builds give the same permutation", () => {
    fc.assert(
      fc.property(fields(4, 4), (state) => {
        for (const core of cores) expect(core.permute(state)).toEqual(scalar.permute(state));
      }),
      { numRuns: 300 },
    );
  });

  test("all builds hash and permute all combinations of edge words to the same results", () => {
    const states = Array.from({ length: edgeWords.length ** 4 }, (_, n) =>
      concat(...[0, 1, 2, 3].map((i) => edgeWords[Math.floor(n / edgeWords.length ** i) % edgeWords.length])),
    );
    const batch = concat(...states);
    const permuted = states.map((state) => scalar.permute(state));
    for (const core of cores) {
      expect(core.hashMany(batch, 2)).toEqual(scalar.hashMany(batch, 2));
      expect(states.map((state) => core.permute(state))).toEqual(permuted);
    }
  });
});
