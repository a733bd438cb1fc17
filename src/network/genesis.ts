import type { Core } from "../core/core.ts";
import { bigUintBytes, concat, equal, fromHex, toHex } from "../protocol/bytes.ts";
import { ARCHIVE, INITIAL_FEE_JUICE, SEPARATOR } from "../protocol/constants.ts";
import { fr } from "../protocol/field.ts";
import type { ContractRules } from "../protocol/generations/contracts.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import type { FundedRelease } from "../protocol/generations/genesis.ts";
import { genesisContent, genesisState } from "../world-state/genesis.ts";
import type { PrefilledEntry } from "../world-state/tables/genesis-row.ts";

/** Storage slot of the balances' map in FeeJuice (docs/protocol/01-fields-and-hashing.md#115-public-storage). */
const BALANCES_SLOT = fr(1);

interface FundedByGenesis {
  testAccounts: boolean;
  sponsoredFpc: boolean;
  /** 32-byte L2 addresses. */
  prefundAddresses: readonly Uint8Array[];
}

/** Leaf slot of an address's fee juice balance in the public data tree. */
export function feeJuiceBalanceSlot(
  core: Core,
  address: Uint8Array,
  { feeJuice }: Pick<ContractRules, "feeJuice">,
): Uint8Array {
  const storageSlot = core.hashWithSeparator(SEPARATOR.PUBLIC_STORAGE_MAP_SLOT, concat(BALANCES_SLOT, address));
  return core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(feeJuice, storageSlot));
}

/**
 * Public data of a network's genesis, in slot order: one balance per funded address
 * (docs/protocol/02-trees.md#212-genesis-trees).
 */
export function genesisPublicData(
  core: Core,
  funded: FundedByGenesis,
  { contracts, genesis }: Pick<Generation, "contracts" | "genesis">,
  { testAccounts, sponsoredFpc }: Omit<FundedRelease, "name"> = genesis.releases[0],
): PrefilledEntry[] {
  const addresses = new Set<string>([
    ...(funded.testAccounts ? testAccounts : []),
    ...(funded.sponsoredFpc ? [sponsoredFpc] : []),
    ...funded.prefundAddresses.map(toHex),
  ]);
  const value = bigUintBytes(INITIAL_FEE_JUICE, 32);
  return [...addresses]
    .map((address) => ({ slot: feeJuiceBalanceSlot(core, fromHex(address), contracts), value }))
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
  readonly #computed = new Map<FundedRelease, Genesis>();

  constructor(core: Core, funded: FundedByGenesis) {
    this.#core = core;
    this.#funded = funded;
  }

  /** Archive root with the addresses of a generation's oldest release. */
  firstRoot(generation: Generation): Uint8Array {
    return this.#at(generation, generation.genesis.releases[0]).archiveRoot;
  }

  /** The genesis with which a rollup was deployed; undefined if the options mean none like it. */
  of(generation: Generation, archiveRoot: Uint8Array): Genesis | undefined {
    const { testAccounts, sponsoredFpc } = this.#funded;
    const { releases } = generation.genesis;
    for (const release of testAccounts || sponsoredFpc ? releases : releases.slice(0, 1)) {
      const genesis = this.#at(generation, release);
      if (equal(genesis.archiveRoot, archiveRoot)) return genesis;
    }
    return undefined;
  }

  #at(generation: Generation, release: FundedRelease): Genesis {
    const known = this.#computed.get(release);
    if (known !== undefined) return known;
    const publicData = genesisPublicData(this.#core, this.#funded, generation, release);
    const { fork } = genesisState(this.#core, genesisContent(generation, publicData));
    const genesis = { publicData, archiveRoot: fork.snapshot(ARCHIVE).root };
    this.#computed.set(release, genesis);
    return genesis;
  }
}
