import fc from "fast-check";
import { expect, test } from "vitest";
import { equal, toHex } from "../../src/protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { writePreimage } from "../../src/world-state/indexed-overlay.ts";
import type { StateAt } from "../../src/world-state/types.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { apply, core, makeBlock, type OpenState, openState } from "../world/world-state/open-state.ts";

/** Keys, values and roots of the two indexed trees after a block, kept without any tree. */
interface Model {
  nullifiers: bigint[];
  slots: Map<bigint, bigint>;
  roots: string[];
}

const INITIAL = Array.from({ length: 128 }, (_, i) => BigInt(i));
const INDEXED = [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const;

/** Root that a sibling path gives for a leaf node. */
function rootOf(node: Uint8Array, index: number, path: Uint8Array): Uint8Array {
  let hash = node;
  for (let at = 0, i = index; at < path.length; at += 32, i = Math.floor(i / 2)) {
    const sibling = path.subarray(at, at + 32);
    hash = core.hash(i % 2 === 1 ? Buffer.concat([sibling, hash]) : Buffer.concat([hash, sibling]));
  }
  return hash;
}

/** Checks a low-leaf witness against the model and that it hashes to the state's root. */
function checkWitness(state: StateAt, tree: 0 | 2, key: bigint, model: Model): void {
  const keys = tree === NULLIFIER_TREE ? model.nullifiers : [...model.slots.keys()];
  const low = keys.reduce((best, other) => (other <= key && other > best ? other : best), 0n);
  const next = keys.reduce((best, other) => (other > low && (best === 0n || other < best) ? other : best), 0n);
  const { leaf, present } = state.lowLeaf(tree, fr(key));
  expect([toHex(leaf.key), present]).toEqual([toHex(fr(low)), low === key]);
  expect(toHex(leaf.nextKey)).toBe(toHex(fr(next)));
  if (tree === PUBLIC_DATA_TREE) expect(toHex(leaf.value!)).toBe(toHex(fr(model.slots.get(low)!)));
  expect(state.leaf(tree, fr(key))).toEqual(present ? leaf : undefined);
  expect(state.findLeaf(tree, fr(key))).toBe(present ? leaf.index : undefined);
  const preimage = new Uint8Array(tree === NULLIFIER_TREE ? 96 : 128);
  writePreimage(leaf, preimage, 0);
  const root = rootOf(core.hash(preimage), leaf.index, state.siblingPath(tree, leaf.index));
  expect(toHex(root)).toBe(model.roots[tree]);
}

type Step =
  | { do: "block"; nullifiers: number; slots: number[] }
  | { do: "unwind" | "prune"; share: number }
  | { do: "reset" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("block" as const),
      nullifiers: fc.integer({ min: 1, max: 4 }),
      slots: fc.array(fc.integer({ min: 200, max: 260 }), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("unwind" as const, "prune" as const), share: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.constant({ do: "reset" as const }) },
);

/**
 * A chain of models beside the stored one. Branches have different nullifiers, so a block number has a different
 * content in each.
 */
class ModelledChain {
  readonly open: OpenState;
  models: Model[] = [];
  #counter = 0n;

  constructor(open: OpenState) {
    this.open = open;
    this.#forget();
  }

  #forget(): void {
    this.models = [{ nullifiers: INITIAL, slots: new Map(INITIAL.map((key) => [key, 0n])), roots: this.#roots(0) }];
  }

  #roots(block: number): string[] {
    return [0, 1, 2].map((tree) => toHex(this.open.state.snapshot(block, tree as 0 | 1 | 2).root));
  }

  #fresh(): bigint {
    this.#counter += 1n;
    return ((this.#counter * 0x9e3779b97f4a7c15n) % 2n ** 40n) + 1000n;
  }

  async take(given: Step): Promise<void> {
    const { state, store } = this.open;
    const { tip, oldest } = state.status();
    if (given.do === "block") {
      const nullifiers = Array.from({ length: given.nullifiers }, () => this.#fresh());
      const written = given.slots.map((slot): [bigint, bigint] => [BigInt(slot), this.#fresh()]);
      const publicDataWrites = written.map(([slot, value]) => ({ leafSlot: fr(slot), value: fr(value) }));
      await apply(this.open, [makeBlock(state, [{ nullifiers: nullifiers.map(fr), publicDataWrites }], undefined)]);
      const before = this.models[tip];
      this.models[tip + 1] = {
        nullifiers: [...before.nullifiers, ...nullifiers],
        slots: new Map([...before.slots, ...written]),
        roots: this.#roots(tip + 1),
      };
    } else if (given.do === "reset") {
      store.transaction(() => state.reset());
      this.#forget();
    } else if (given.do === "unwind") {
      const to = oldest + Math.floor(((tip - oldest) * given.share) / 100);
      if (to >= tip || to < state.status().finalized) return;
      store.transaction(() => state.unwindTo(to));
      this.models.length = to + 1;
    } else {
      const to = oldest + Math.floor(((tip - oldest) * given.share) / 100);
      if (to <= oldest) return;
      store.transaction(() => {
        state.setFinalized(to);
        state.pruneTo(to);
      });
    }
  }
}

test("an open reader answers for every kept block of the present chain, through blocks, reorgs, pruning and resets", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 16 }),
      fc.array(fc.oneof(fc.bigInt(0n, 2n ** 41n), fc.bigInt(0n, 300n)), { minLength: 2, maxLength: 3 }),
      async (steps, keys) => {
        const open = openState();
        const reader = new WorldState(core, open.store, genesisContent(V4, []));
        try {
          const chain = new ModelledChain(open);
          for (const taken of steps) {
            await chain.take(taken);
            const { tip, oldest } = reader.status();
            expect(tip).toBe(chain.models.length - 1);
            for (let block = 0; block <= tip; block++) {
              if (block > 0 && block < oldest) {
                expect(() => reader.at(block)).toThrow(`block ${block}`);
                continue;
              }
              const state = block === tip ? reader.at("latest") : reader.at(block);
              const model = chain.models[block];
              for (const key of [...keys, model.nullifiers.at(-1)!, 230n]) {
                for (const tree of INDEXED) checkWitness(state, tree, key, model);
              }
            }
          }
        } finally {
          await open.close();
        }
      },
    ),
    { numRuns: 12 },
  );
});

test("a path can be written to the start of a longer buffer", async () => {
  const open = openState();
  try {
    for (const block of [0, 1]) {
      if (block === 1) await apply(open, [makeBlock(open.state, [{ nullifiers: [fr(999)] }], undefined)]);
      const state = open.state.at(block);
      const out = new Uint8Array(42 * 32 + 8).fill(7);
      const path = state.siblingPath(NULLIFIER_TREE, 3, out);
      expect(equal(path, state.siblingPath(NULLIFIER_TREE, 3))).toBe(true);
      expect(path.buffer).toBe(out.buffer);
      expect([...out.subarray(-8)]).toEqual(new Array(8).fill(7));
    }
  } finally {
    await open.close();
  }
});
