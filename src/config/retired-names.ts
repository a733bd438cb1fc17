/**
 * A name of an earlier release that no longer has an effect (docs/protocol/09-configuration.md#96-names, "Old names"),
 * and what to use instead.
 */
interface RetiredName {
  readonly name: string;
  readonly advice: string;
}

const renamedTo = (name: string): string => `it was renamed: use ${name}`;
const BLOCK_SIZE = "it was removed: blocks are limited by blob fields and gas, see --maxL2BlockGas and --maxDABlockGas";

/** Ignored with a warning. */
export const RETIRED_VARIABLES: readonly RetiredName[] = [
  { name: "SEQ_TX_POLLING_INTERVAL_MS", advice: renamedTo("SEQ_POLLING_INTERVAL_MS") },
  {
    name: "SEQ_MAX_L1_TX_INCLUSION_TIME_INTO_SLOT",
    advice: renamedTo("SEQ_L1_PUBLISHING_TIME_ALLOWANCE_IN_SLOT"),
  },
  { name: "SEQ_MAX_TX_PER_BLOCK", advice: "it was replaced: use SEQ_MAX_TX_PER_CHECKPOINT" },
  { name: "SEQ_MAX_BLOCK_SIZE_IN_BYTES", advice: BLOCK_SIZE },
  { name: "BOT_BASE_FEE_PADDING", advice: renamedTo("BOT_MIN_FEE_PADDING") },
  {
    name: "VALIDATOR_HA_RUN_MIGRATIONS",
    advice: "nodes do not migrate the database, run `svc migrate-ha-db up` once",
  },
  { name: "VALIDATOR_REEXECUTE_DEADLINE_MS", advice: "it has no replacement" },
];

/** Refused. */
export const RETIRED_FLAGS: readonly RetiredName[] = [
  { name: "--maxBlockSizeInBytes", advice: BLOCK_SIZE },
  { name: "--sequencer.maxBlockSizeInBytes", advice: BLOCK_SIZE },
  { name: "--bot.baseFeePadding", advice: renamedTo("--bot.minFeePadding") },
];
