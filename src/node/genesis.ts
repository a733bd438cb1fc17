import type { Core } from "../core/core.ts";
import { bigUintBytes, concat, fromHex, toHex } from "../protocol/bytes.ts";
import { ARCHIVE, INITIAL_FEE_JUICE, SEPARATOR } from "../protocol/constants.ts";
import { fr } from "../protocol/field.ts";
import { genesisState, type PrefilledEntry } from "../world-state/genesis.ts";

/**
 * Accounts that TEST_ACCOUNTS funds, and the contract that SPONSORED_FPC funds
 * (docs/protocol/02-trees.md#213-genesis-header-and-constants).
 */
const TEST_ACCOUNTS = [
  "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
  "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
  "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
];
const SPONSORED_FPC = "0x09a4df73aa47f82531a038d1d51abfc85b27665c4b7ca751e2d4fa9f19caffb2";

/**
 * The contract whose public storage holds fee juice balances, and the storage slot of its balance map
 * (docs/protocol/01-fields-and-hashing.md#115-public-storage).
 */
const FEE_JUICE = fr(5);
const BALANCES_SLOT = fr(1);

export interface FundedByGenesis {
  testAccounts: boolean;
  sponsoredFpc: boolean;
  /** 32-byte L2 addresses. */
  prefundAddresses: readonly Uint8Array[];
}

/** Leaf slot of an address's fee juice balance in the public data tree. */
export function feeJuiceBalanceSlot(core: Core, address: Uint8Array): Uint8Array {
  const storageSlot = core.hashWithSeparator(SEPARATOR.PUBLIC_STORAGE_MAP_SLOT, concat(BALANCES_SLOT, address));
  return core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(FEE_JUICE, storageSlot));
}

/**
 * Public data of a network's genesis, in slot order: one balance per funded address
 * (docs/protocol/02-trees.md#212-genesis-trees).
 */
export function genesisPublicData(core: Core, funded: FundedByGenesis): PrefilledEntry[] {
  const addresses = new Set([
    ...(funded.testAccounts ? TEST_ACCOUNTS : []),
    ...(funded.sponsoredFpc ? [SPONSORED_FPC] : []),
    ...funded.prefundAddresses.map(toHex),
  ]);
  const value = bigUintBytes(INITIAL_FEE_JUICE, 32);
  return [...addresses]
    .map((address) => ({ slot: feeJuiceBalanceSlot(core, fromHex(address)), value }))
    .sort((a, b) => Buffer.compare(a.slot, b.slot));
}

/** Archive root of the chain that begins with this public data; a rollup is deployed with that of its genesis. */
export function genesisArchiveRoot(core: Core, publicData: PrefilledEntry[]): Uint8Array {
  return genesisState(core, publicData).fork.snapshot(ARCHIVE).root;
}
