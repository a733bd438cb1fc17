import { MAX_DA_GAS_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { TxGas } from "../../protocol/fees/gas-fees.ts";

/** A proposer's settings for the size of its blocks; undefined: no limit set. */
interface BlockLimitSettings {
  maxL2BlockGas: number | undefined;
  maxDABlockGas: number | undefined;
  maxTxsPerBlock: number | undefined;
  maxTxsPerCheckpoint: number | undefined;
  /** A block may use up to this multiple of its even share of the checkpoint. */
  perBlockAllocationMultiplier: number;
}

interface PerBlockLimits {
  maxGas: TxGas;
  maxTxs: number;
}

const DEFAULT_MAX_TXS_PER_BLOCK = 32;

/**
 * Limits of one block, before the remaining room of the checkpoint is applied
 * (docs/protocol/08-building-and-checkpoints.md#810-limits-of-a-block).
 */
export function perBlockLimits(
  settings: BlockLimitSettings,
  { manaLimit, maxBlocks }: { manaLimit: number; maxBlocks: number },
): PerBlockLimits {
  const { maxTxsPerBlock, maxTxsPerCheckpoint } = settings;
  const share = (total: number) =>
    Math.min(total, Math.ceil((total / maxBlocks) * settings.perBlockAllocationMultiplier));
  const limit = (explicit: number | undefined, total: number) =>
    explicit === undefined ? share(total) : Math.min(explicit, total);
  const txs =
    maxTxsPerBlock ?? (maxTxsPerCheckpoint === undefined ? DEFAULT_MAX_TXS_PER_BLOCK : share(maxTxsPerCheckpoint));
  return {
    maxGas: {
      l2Gas: limit(settings.maxL2BlockGas, manaLimit),
      daGas: limit(settings.maxDABlockGas, MAX_DA_GAS_PER_CHECKPOINT),
    },
    maxTxs: Math.min(txs, maxTxsPerCheckpoint ?? Number.POSITIVE_INFINITY),
  };
}
