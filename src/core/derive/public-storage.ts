import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import type { Core } from "../core.ts";

/**
 * Key in the public data tree of a contract's storage slot (docs/protocol/01-fields-and-hashing.md#115-public-storage).
 */
export function publicDataLeafSlot(core: Core, contract: Fr, storageSlot: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(contract, storageSlot));
}

/** Storage slot of a map's entry (docs/protocol/01-fields-and-hashing.md#115-public-storage). */
export function mapEntrySlot(core: Core, mapSlot: Fr, key: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PUBLIC_STORAGE_MAP_SLOT, concat(mapSlot, key));
}

/** Slot of FeeJuice's map of balances. */
const BALANCES_SLOT = fr(1);

/** Storage slot in FeeJuice of an account's balance (docs/protocol/01-fields-and-hashing.md#115-public-storage). */
export function feePayerBalanceSlot(core: Core, feePayer: Fr): Fr {
  return mapEntrySlot(core, BALANCES_SLOT, feePayer);
}

/**
 * Key in the public data tree of an account's fee juice balance
 * (docs/protocol/01-fields-and-hashing.md#115-public-storage).
 */
export function feePayerBalanceLeafSlot(core: Core, { feeJuice }: Pick<ContractRules, "feeJuice">, feePayer: Fr): Fr {
  return publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, feePayer));
}
