/**
 * Constructor configuration of the governance contract. Times in seconds, fractions times 1e18, amounts in wei of the
 * staking asset.
 */
interface GovernanceConfig {
  proposeConfig: { lockDelay: bigint; lockAmount: bigint };
  votingDelay: bigint;
  votingDuration: bigint;
  executionDelay: bigint;
  gracePeriod: bigint;
  quorum: bigint;
  requiredYeaMargin: bigint;
  minimumVotes: bigint;
}

const HOUR = 3600n;
const DAY = 24n * HOUR;
const TOKEN = 10n ** 18n;
const PERCENT = 10n ** 16n;

export const MAINNET_CHAIN_ID = 1;

const MAINNET: GovernanceConfig = {
  proposeConfig: { lockDelay: 90n * DAY, lockAmount: 258_750_000n * TOKEN },
  votingDelay: 3n * DAY,
  votingDuration: 7n * DAY,
  executionDelay: 30n * DAY,
  gracePeriod: 7n * DAY,
  quorum: 20n * PERCENT,
  requiredYeaMargin: 33n * PERCENT,
  minimumVotes: 200_000_000n * TOKEN,
};

/** Governance of the networks that differ from a test network. */
const PUBLIC_NETWORKS: Record<string, GovernanceConfig> = {
  "staging-public": {
    proposeConfig: { lockDelay: 30n * DAY, lockAmount: 10_000n * TOKEN },
    votingDelay: 60n,
    votingDuration: HOUR,
    executionDelay: 60n,
    gracePeriod: 7n * DAY,
    quorum: 30n * PERCENT,
    requiredYeaMargin: 4n * PERCENT,
    minimumVotes: 10_000_000n * TOKEN,
  },
  testnet: {
    proposeConfig: { lockDelay: 90n * DAY, lockAmount: 258_750_000n * TOKEN },
    votingDelay: 12n * HOUR,
    votingDuration: DAY,
    executionDelay: 12n * HOUR,
    gracePeriod: DAY,
    quorum: 20n * PERCENT,
    requiredYeaMargin: 10n * PERCENT,
    minimumVotes: 9_600_000n * TOKEN,
  },
  "staging-ignition": {
    proposeConfig: { lockDelay: 3650n * DAY, lockAmount: 250_000_000n * TOKEN },
    votingDelay: 7n * DAY,
    votingDuration: 7n * DAY,
    executionDelay: 30n * DAY,
    gracePeriod: 7n * DAY,
    quorum: 20n * PERCENT,
    requiredYeaMargin: 10n * PERCENT,
    minimumVotes: 250_000_000n * TOKEN,
  },
  mainnet: MAINNET,
};

/**
 * Governance configuration of a network by its name; test networks vote for `votingDuration` seconds. On chain 1 it is
 * always that of mainnet, whose execution delay is 30 days.
 */
export function governanceConfig(network: string, l1ChainId: number, votingDuration: number): GovernanceConfig {
  if (l1ChainId === MAINNET_CHAIN_ID) return MAINNET;
  return (
    PUBLIC_NETWORKS[network] ?? {
      proposeConfig: { lockDelay: 30n * DAY, lockAmount: 1_000_000n * TOKEN },
      votingDelay: 60n,
      votingDuration: BigInt(votingDuration),
      executionDelay: 60n,
      gracePeriod: 7n * DAY,
      quorum: 10n * PERCENT,
      requiredYeaMargin: 4n * PERCENT,
      minimumVotes: 400n * TOKEN,
    }
  );
}
