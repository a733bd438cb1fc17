import type { Core } from "../../core/core.ts";
import { feePayerBalanceLeafSlot } from "../../core/derive/public-storage.ts";
import { mapKey, readBigUint } from "../../protocol/bytes.ts";
import { ARCHIVE, NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { BoundedCache } from "../../storage/bounded-cache.ts";
import type { WorldStateReader } from "../../world-state/types.ts";
import type { CheckedState } from "./checks/context.ts";

const SLOT_CACHE = { bytes: 1024 * 1024, entryBytes: 256 };

/** States of the stored chain by block. */
export class CommittedStates {
  readonly #core: Core;
  readonly #world: WorldStateReader;
  readonly #contracts: Pick<ContractRules, "feeJuice">;
  /** Leaf slots of fee payers' balances. */
  readonly #slots = new BoundedCache<Fr>(SLOT_CACHE);

  constructor(core: Core, world: WorldStateReader, contracts: Pick<ContractRules, "feeJuice">) {
    this.#contracts = contracts;
    this.#core = core;
    this.#world = world;
  }

  /** State after the last block of the world state. Valid for one synchronous run. */
  latest(): CheckedState {
    return this.#at(this.#world.status().tip);
  }

  /** State after a block; undefined if it was pruned. */
  after(block: number): CheckedState | undefined {
    const { tip, oldest } = this.#world.status();
    return block === 0 || (block >= oldest && block <= tip) ? this.#at(block) : undefined;
  }

  #at(block: number): CheckedState {
    const world = this.#world;
    return {
      hasNullifier: (nullifier) => world.findLeaf(block, NULLIFIER_TREE, nullifier) !== undefined,
      hasBlock: (hash) => world.findLeaf(block, ARCHIVE, hash) !== undefined,
      feeJuice: (payer) => {
        const { leaf, present } = world.lowLeaf(block, PUBLIC_DATA_TREE, this.#slotOf(payer));
        return present && leaf.value !== undefined ? readBigUint(leaf.value) : 0n;
      },
    };
  }

  #slotOf(payer: Fr): Fr {
    const key = mapKey(payer);
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = feePayerBalanceLeafSlot(this.#core, this.#contracts, payer);
      this.#slots.set(key, slot);
    }
    return slot;
  }
}
