import type { Core } from "../core/core.ts";
import { bigUintBytes, concat, equal, fromHex, toHex } from "../protocol/bytes.ts";
import { ARCHIVE, INITIAL_FEE_JUICE, SEPARATOR } from "../protocol/constants.ts";
import { fr } from "../protocol/field.ts";
import { genesisState, type PrefilledEntry } from "../world-state/genesis.ts";

/**
 * Accounts that TEST_ACCOUNTS funds, and the contract that SPONSORED_FPC funds, by release
 * (docs/protocol/02-trees.md#213-genesis-header-and-constants). The addresses are hashes of contracts that each release
 * compiles anew.
 */
const RELEASES = [
  {
    name: "4.1.2",
    testAccounts: [
      "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
      "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
      "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
    ],
    sponsoredFpc: "0x09a4df73aa47f82531a038d1d51abfc85b27665c4b7ca751e2d4fa9f19caffb2",
  },
  {
    name: "4.3.0-nightly.20260417",
    testAccounts: [
      "0x1092539b9d20142398c8a8f3e9b0462f1d38cddd587c94b7bc80ff47e6a0b51a",
      "0x1ab69f69c4c2c86e1b96355ad1766108de07742ec1128a46b0eca49a53157673",
      "0x0c654565251db9e371ac91fafd0bf7b8ff741282d0774f757daf659d9dee80d9",
    ],
    sponsoredFpc: "0x254082b62f9108d044b8998f212bb145619d91bfcd049461d74babb840181257",
  },
  {
    name: "4.4.0",
    testAccounts: [
      "0x1fff360b8e1f7c01426157d723037fe8aaa0f5d60a80e32984a11167ccb68222",
      "0x2793c97780e912bb765216488ca53dea52c70bb2f05d79f1b75002a8ae638db0",
      "0x0b68cde3ea7ef259eb4e8c5afca2ddde4853e695119037c8598fbe0a14fa4ff7",
    ],
    sponsoredFpc: "0x08b888c4be63ed67f61a622fdd013ea028326bac22a8982a3b5a7e9ec62f765b",
  },
] as const;
type Release = (typeof RELEASES)[number];

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
export function genesisPublicData(
  core: Core,
  funded: FundedByGenesis,
  { testAccounts, sponsoredFpc }: Omit<Release, "name"> = RELEASES[0],
): PrefilledEntry[] {
  const addresses = new Set<string>([
    ...(funded.testAccounts ? testAccounts : []),
    ...(funded.sponsoredFpc ? [sponsoredFpc] : []),
    ...funded.prefundAddresses.map(toHex),
  ]);
  const value = bigUintBytes(INITIAL_FEE_JUICE, 32);
  return [...addresses]
    .map((address) => ({ slot: feeJuiceBalanceSlot(core, fromHex(address)), value }))
    .sort((a, b) => Buffer.compare(a.slot, b.slot));
}

export interface Genesis {
  readonly publicData: PrefilledEntry[];
  /** Archive root of the chain that begins with it; a rollup is deployed with that of its genesis. */
  readonly archiveRoot: Uint8Array;
}

/** The geneses that the options may mean: one for each release, each computed when it is first needed. */
export class ConfiguredGeneses {
  readonly #core: Core;
  readonly #funded: FundedByGenesis;
  readonly #releases: readonly Release[];
  readonly #computed: Genesis[] = [];

  constructor(core: Core, funded: FundedByGenesis) {
    this.#core = core;
    this.#funded = funded;
    this.#releases = funded.testAccounts || funded.sponsoredFpc ? RELEASES : RELEASES.slice(0, 1);
  }

  /** Archive root with the addresses of the oldest release. */
  get firstRoot(): Uint8Array {
    return this.#at(0).archiveRoot;
  }

  /** The genesis with which a rollup was deployed; undefined if the options mean none like it. */
  of(archiveRoot: Uint8Array): Genesis | undefined {
    for (const i of this.#releases.keys()) {
      if (equal(this.#at(i).archiveRoot, archiveRoot)) return this.#at(i);
    }
    return undefined;
  }

  #at(i: number): Genesis {
    const known = this.#computed.at(i);
    if (known !== undefined) return known;
    const publicData = genesisPublicData(this.#core, this.#funded, this.#releases[i]);
    const { root: archiveRoot } = genesisState(this.#core, publicData).fork.snapshot(ARCHIVE);
    const genesis = { publicData, archiveRoot };
    this.#computed[i] = genesis;
    return genesis;
  }
}
