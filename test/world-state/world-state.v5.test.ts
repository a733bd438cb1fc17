import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import type { Fork } from "../../src/world-state/fork.ts";
import { genesisContent, genesisState } from "../../src/world-state/genesis.ts";
import type { GenesisContent } from "../../src/world-state/tables/genesis-row.ts";
import { readVectors } from "../protocol/generations/v5/vectors.ts";
import { type OpenState, openState } from "../world/world-state/open-state.ts";
import { randomChain } from "../world/world-state/random-chain.ts";

const core = loadCore();
const EMPTY = genesisContent(V5, []);
const root = (fork: Fork, tree: TreeId) => toHex(fork.snapshot(tree).root);

describe("the genesis of v5", () => {
  test("has the published roots without anything prefilled", () => {
    const { fork, hash } = genesisState(core, EMPTY);
    expect(
      [NULLIFIER_TREE, NOTE_HASH_TREE, PUBLIC_DATA_TREE, L1_TO_L2_MESSAGE_TREE, ARCHIVE].map((tree) =>
        root(fork, tree as TreeId),
      ),
    ).toEqual([
      "0x18935581a8ed73d08ffd00386fba55ba6c89f3ab848a76b8fedfa9034cee0454",
      "0x2590f2aab19dd791700b4a43d3f52bb88ef2409a3731da8e848663559202e4c6",
      "0x1bef38b621017d3c7416663d0cd81369424560710526a3fbaaec13e356b9d084",
      "0x0fef6d80d31109ddb56d6b3f607cbc9c0af0bff3ea0d43e8f278983c64c11f7a",
      "0x177a4955b31ecaafad999753938a44e526b54c5ba5d536688227f85f15cfbdf5",
    ]);
    expect(toHex(hash)).toBe("0x0e7bf88e8833c27b0fca6be614ecc2c63def7bffa35b3ccfa1caff3e39e0c0d2");
    expect(toHex(core.merkle(V5.hashing.treeNodes[ARCHIVE]).zeroHashes[30])).toBe(
      "0x2403f18ba27f090c40c95fc6724d67b4b7d537b967ee15656c79e55284df9d6b",
    );
  });

  /** Of the native world state, by what is prefilled. */
  const prefilled: [string, Partial<GenesisContent>, string][] = [
    [
      "public data",
      { publicData: [{ slot: fr(1000), value: fr(7) }] },
      "0x1728d194be490bd2a33fbea2b887164d0d6e603c7901a40a924f480a5cec9f9c",
    ],
    ["a nullifier", { nullifiers: [fr(1000)] }, "0x184ead176753fcec867015a11da209099581bd6f64f82e10cb41683a47623511"],
    ["a timestamp", { timestamp: 1234n }, "0x0f2dcdf0a98c0edc2396dda9fa4177adecf2418a5cb1af74f06ec27bafdc7155"],
  ];
  test.each(prefilled)("with %s has the archive root of the native world state", (_, content, expected) => {
    expect(root(genesisState(core, { ...EMPTY, ...content }).fork, ARCHIVE)).toBe(expected);
  });

  test.each([
    ["unsorted", [fr(1001), fr(1000)], "unique and sorted"],
    ["equal to a default leaf", [fr(3)], "must not be the same as the default values"],
  ])("refuses prefilled nullifiers that are %s", (_, nullifiers, rule) => {
    expect(() => genesisState(core, { ...EMPTY, nullifiers })).toThrow(rule);
  });

  test("of a local network has the recorded balances and root", () => {
    interface Vectors {
      genesisArchiveRoot: string;
      initialBlockHash: string;
      initialHeaderBytes: string;
      prefilledPublicData: { slot: string; value: string }[];
    }
    const vectors = readVectors<Vectors>("genesis");
    const publicData = vectors.prefilledPublicData.map(({ slot, value }) => ({
      slot: fromHex(slot),
      value: fromHex(value),
    }));
    const { fork, header, hash } = genesisState(core, genesisContent(V5, publicData));
    expect(toHex(header)).toBe(vectors.initialHeaderBytes);
    expect(toHex(hash)).toBe(vectors.initialBlockHash);
    expect(root(fork, ARCHIVE)).toBe(vectors.genesisArchiveRoot);
  });
});

describe("the trees of v5", () => {
  const f = (i: number) => fr(BigInt(i) * 0xabcdef123457n + 3n);

  test("have the roots and paths of the recorded insertions", () => {
    interface State {
      label: string;
      nullifier: { root: string };
      noteHash: { root: string };
      publicData: { root: string };
      l1ToL2: { root: string };
      archive: { root: string };
    }
    interface Vectors {
      states: State[];
      paths: { tree: string; index: number; path: string[] }[];
    }
    const { states, paths } = readVectors<Vectors>("trees");
    const { fork } = genesisState(core, EMPTY);
    const steps = [
      () => undefined,
      () => fork.append(NOTE_HASH_TREE, [f(1), f(2), f(3)]),
      () => fork.append(L1_TO_L2_MESSAGE_TREE, [f(4), f(5)]),
      () => {
        fork.insertNullifiers([f(6), f(7), f(8)], [128, 129, 130]);
        fork.skip(NULLIFIER_TREE, 3);
      },
      () =>
        fork.insertSequentially(PUBLIC_DATA_TREE, [
          { key: f(9), value: f(109) },
          { key: f(10), value: f(110) },
        ]),
    ];
    expect(states).toHaveLength(steps.length);
    for (const [i, { label, nullifier, noteHash, publicData, l1ToL2, archive }] of states.entries()) {
      steps[i]();
      const roots = ([0, 1, 2, 3, 4] as const).map((tree) => root(fork, tree));
      const expected = [nullifier, noteHash, publicData, l1ToL2, archive].map((tree) => tree.root);
      expect([label, ...roots]).toEqual([label, ...expected]);
    }
    const ids: Record<string, TreeId> = { NULLIFIER_TREE, NOTE_HASH_TREE, PUBLIC_DATA_TREE, L1_TO_L2_MESSAGE_TREE };
    for (const { tree, index, path } of paths) {
      const own = fork.siblingPath(ids[tree], Number(index));
      expect(path.map((_, level) => toHex(word(own, level)))).toEqual(path);
    }
  });

  test("have the roots of the native world state after single insertions", () => {
    const { fork } = genesisState(core, EMPTY);
    fork.append(NOTE_HASH_TREE, [fr(11), fr(12), fr(13)]);
    fork.append(L1_TO_L2_MESSAGE_TREE, [fr(21), fr(22)]);
    expect(root(fork, NOTE_HASH_TREE)).toBe("0x0906e20cbba0bd518f61875197b37799c9bdbc2b8625c2b51c39ab5afc94115a");
    expect(root(fork, L1_TO_L2_MESSAGE_TREE)).toBe(
      "0x1acf9b441d686dea0e448b1f2e26d47e050d2236d1ceb511b58a47906600c730",
    );
    fork.insertSequentially(NULLIFIER_TREE, [{ key: fr(1000) }]);
    expect(root(fork, NULLIFIER_TREE)).toBe("0x2432a817491b359fc2009cc40f99989a7f480c1309f3bf04ea7371a1cc2448cb");
    fork.insertNullifiers([fr(500), fr(2000)], [129, 130]);
    fork.skip(NULLIFIER_TREE, 2);
    expect(root(fork, NULLIFIER_TREE)).toBe("0x042aa615aa85bd83f5fdd6b83afcc753926bc60ad2a7325b62d70af2909aafc7");
    fork.insertSequentially(PUBLIC_DATA_TREE, [
      { key: fr(1000), value: fr(7) },
      { key: fr(500), value: fr(8) },
      { key: fr(1000), value: fr(9) },
    ]);
    expect(root(fork, PUBLIC_DATA_TREE)).toBe("0x2c69dabd60a2c6e47914f7b87504b8c5ec90600eab99265f54c5cbbd099abb5a");
  });

  test.each(
    readVectors<{ name: string; inputs: string[]; result: string }[]>("hashing").flatMap((v) => {
      const tree = { computeMerkleHash: 1, computeNullifierMerkleHash: 0, computePublicDataMerkleHash: 2 }[v.name];
      return tree === undefined ? [] : [{ ...v, tree: tree as TreeId }];
    }),
  )("$name of $inputs is that of the vectors", ({ tree, inputs, result }) => {
    const tile = new Uint8Array(128);
    for (const [i, input] of inputs.entries()) tile.set(fromHex(input), 64 + i * 32);
    core.merkle(V5.hashing.treeNodes[tree]).rehashTiles([tile], Uint32Array.of(3), 1);
    expect(toHex(word(tile, 1))).toBe(result);
  });
});

/** Blocks of the recorded run that a test repeats; test/world-state/live/native-world-state.ts makes all of them. */
const BLOCKS = 100;

describe("a chain of v5 with unwinding", () => {
  let open: OpenState;
  beforeAll(() => {
    open = openState([], undefined, undefined, V5);
  });
  afterAll(() => open.close());

  test("has the roots, sibling paths and low leaves of the native world state after each step", async () => {
    const file = new URL("../fixtures/v5/native-world-state.txt", import.meta.url);
    const recorded = readFileSync(file, "utf8").trimEnd().split("\n");
    const own = await randomChain(open, BLOCKS);
    expect(own.length).toBeGreaterThan(BLOCKS + 1);
    expect(own).toEqual(recorded.slice(0, own.length));
  });
});
