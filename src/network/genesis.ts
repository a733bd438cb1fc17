import type { Core } from "../core/core.ts";
import { bigUintBytes, concat, equal, fromHex, toHex } from "../protocol/bytes.ts";
import { ARCHIVE, INITIAL_FEE_JUICE, SEPARATOR } from "../protocol/constants.ts";
import { fr } from "../protocol/field.ts";
import type { FundedRelease } from "../protocol/generations/genesis.ts";
import { V4 } from "../protocol/generations/v4/v4.ts";
import { genesisContent, genesisState } from "../world-state/genesis.ts";
import type { PrefilledEntry } from "../world-state/tables/genesis-row.ts";

/**
 * Accounts that TEST_ACCOUNTS funds, and the contract that SPONSORED_FPC funds, by release
 * (docs/protocol/02-trees.md#213-genesis-header-and-constants).
 */
const RELEASES = V4.genesis.releases;

/**
 * The contract whose public storage holds fee juice balances, and the storage slot of its balance map
 * (docs/protocol/01-fields-and-hashing.md#115-public-storage).
 */
const FEE_JUICE = V4.contracts.feeJuice;
const BALANCES_SLOT = fr(1);

interface FundedByGenesis {
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
  { testAccounts, sponsoredFpc }: Omit<FundedRelease, "name"> = RELEASES[0],
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
  readonly publicData: readonly PrefilledEntry[];
  /** Archive root of the chain that begins with it; a rollup is deployed with that of its genesis. */
  readonly archiveRoot: Uint8Array;
}

/** The geneses that the options may mean: one for each release, each computed when it is first needed. */
export class ConfiguredGeneses {
  readonly #core: Core;
  readonly #funded: FundedByGenesis;
  readonly #releases: readonly FundedRelease[];
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
    const { root: archiveRoot } = genesisState(this.#core, genesisContent(V4, publicData)).fork.snapshot(ARCHIVE);
    const genesis = { publicData, archiveRoot };
    this.#computed[i] = genesis;
    return genesis;
  }
}
