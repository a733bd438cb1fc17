import { createHash } from "node:crypto";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../../../src/protocol/constants.ts";
import type { IndexedTree } from "../../../src/world-state/tables/state-view.ts";
import type { BlockEffects } from "../../../src/world-state/types.ts";
import { apply, makeBlock, type OpenState, type TxParts } from "./open-state.ts";

/** Numbers and field elements that follow from a seed, the same in every run. */
class Seeded {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  field(): Uint8Array {
    const bytes = createHash("sha256")
      .update(`${this.#seed} ${this.#count++}`)
      .digest();
    bytes[0] &= 0x1f;
    return new Uint8Array(bytes);
  }

  below(limit: number): number {
    return Buffer.from(this.field()).readUIntBE(26, 6) % limit;
  }
}

/** Another world state that takes the same steps. */
export interface OtherState {
  syncBlock(block: BlockEffects, tx: Required<TxParts>): Promise<void>;
  unwindTo(block: number): Promise<void>;
  root(tree: TreeId): Promise<Uint8Array>;
  siblingPath(tree: TreeId, position: number): Promise<Uint8Array>;
  lowLeaf(tree: IndexedTree, key: Uint8Array): Promise<number>;
}

/** The trees of an open state at its tip. */
function treesOf({ state }: OpenState): Pick<OtherState, "root" | "siblingPath" | "lowLeaf"> {
  const tip = () => state.status().tip;
  return {
    root: async (tree) => state.snapshot(tip(), tree).root,
    siblingPath: async (tree, position) => state.siblingPath(tip(), tree, position),
    lowLeaf: async (tree, key) => state.lowLeaf(tip(), tree, key).leaf.index,
  };
}

/**
 * Makes `count` blocks that each insert into every tree, and unwinds some of them now and then. After each step the
 * roots, a sibling path of every tree and a low leaf of every indexed tree become a digest; those of `other`, which
 * takes the steps too, must be the same.
 */
export async function randomChain(open: OpenState, count: number, other?: OtherState): Promise<string[]> {
  const random = new Seeded("chain");
  const questions = new Seeded("questions");
  const slots: Uint8Array[] = [];
  const digests: string[] = [];
  const observe = async () => {
    const tip = open.state.status().tip;
    const positions = TREE_IDS.map((tree) => questions.below(open.state.snapshot(tip, tree).size + 2));
    const keys = ([NULLIFIER_TREE, PUBLIC_DATA_TREE] as const).map((tree) => ({ tree, key: questions.field() }));
    const seen = async (trees: ReturnType<typeof treesOf>) => {
      const roots = await Promise.all(TREE_IDS.map((tree) => trees.root(tree)));
      const paths = await Promise.all(TREE_IDS.map((tree) => trees.siblingPath(tree, positions[tree])));
      const lows = await Promise.all(keys.map(({ tree, key }) => trees.lowLeaf(tree, key)));
      return toHex(
        createHash("sha256")
          .update(concat(...roots, ...paths))
          .update(lows.join())
          .digest()
          .subarray(0, 8),
      );
    };
    const own = await seen(treesOf(open));
    if (other !== undefined && (await seen(other)) !== own) throw new Error(`step ${digests.length}: the trees differ`);
    digests.push(own.slice(2));
  };
  await observe();
  for (let made = 0; made < count; made++) {
    const old = slots.length > 0 && random.below(4) === 0 ? slots[random.below(slots.length)] : undefined;
    const leafSlot = old ?? random.field();
    slots.push(leafSlot);
    const tx = {
      noteHashes: [random.field()],
      nullifiers: [random.field()],
      publicDataWrites: [{ leafSlot, value: random.field() }],
    };
    const block = makeBlock(open.state, [tx], [random.field()]);
    await apply(open, [block]);
    await other?.syncBlock(block, tx);
    await observe();
    const { tip } = open.state.status();
    if (random.below(20) !== 0 || tip < 8) continue;
    const kept = tip - 1 - random.below(6);
    open.state.unwindTo(kept);
    await other?.unwindTo(kept);
    await observe();
  }
  return digests;
}
