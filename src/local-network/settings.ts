import type { Configuration } from "../config/configuration.ts";
import { ConfigurationError } from "../config/errors.ts";
import { parseLogFilter } from "../config/kinds/log-filter.ts";
import { Secret } from "../config/kinds/secret.ts";
import type { OptionKey, Values } from "../config/options.ts";
import { fromHex } from "../protocol/bytes.ts";
import { MAX_BLOCKS_PER_CHECKPOINT } from "../protocol/constants.ts";
import type { AllowedSetupCall } from "../protocol/generations/transactions.ts";
import { BANANA_FEE_CONTRACT } from "../recorded-txs/set-up-txs.ts";
import type { L1Key } from "./l1-account.ts";

const TOKEN_CLASS = fromHex("0x01efe16b55107894e6b6fb63cebc1a3233e23bbcd648fd9cdf6c0351749ce7ee");

/**
 * Token functions that txs may call during setup on this network, so that its fee contract is usable
 * (docs/protocol/08-building-and-checkpoints.md#828-local-network).
 */
export const TOKEN_SETUP_CALLS: readonly AllowedSetupCall[] = [
  { classId: TOKEN_CLASS, selector: fromHex("0xe7f045ff"), calldataLength: 3, onlySelf: true },
  { classId: TOKEN_CLASS, selector: fromHex("0x8c9e5472"), calldataLength: 5 },
];

/** Defaults of a local network; it controls its own time, so nothing waits for a clock. */
const OWN_DEFAULTS = {
  testAccounts: true,
  rpcHost: "127.0.0.1",
  archiverPollingIntervalMS: 100,
  sequencerPollingIntervalMS: 50,
  l1TxCheckIntervalMs: 25,
  minTxPoolAgeMs: 0,
  // One block may use the whole checkpoint's limits: split among the many blocks of a slot, no block would fit a usual
  // tx.
  perBlockAllocationMultiplier: MAX_BLOCKS_PER_CHECKPOINT,
  // What the public networks allow in a checkpoint, which is most often one block here.
  maxTxsPerBlock: 72,
  // One log line per block: a block is published right after it is built.
  logLevel: parseLogFilter("info;warn:sequencer:publisher"),
} as const satisfies Partial<Values>;

/** Settings that no option can change (docs/protocol/08-building-and-checkpoints.md#828-local-network). */
const FORCED = {
  node: true,
  sequencer: true,
  realProofs: false,
  sponsoredFpc: true,
  l1ChainId: 31_337,
  aztecEpochDuration: 2,
  aztecTargetCommitteeSize: 0,
  slasherFlavor: "none",
  ethereumAllowNoDebugHosts: true,
  blobAllowEmptySources: true,
} as const satisfies Partial<Values>;

/** Throws a ConfigurationError for an L1 that a local network cannot use. */
export function checkLocalL1({ l1RpcUrls, localNetworkLoadState }: Values): void {
  if (l1RpcUrls.length > 0 && localNetworkLoadState !== undefined) {
    throw new ConfigurationError("--load-state needs an L1 of its own, not one of --l1-rpc-urls");
  }
  if (l1RpcUrls.length > 1) {
    throw new ConfigurationError("--local-network takes one URL of --l1-rpc-urls: it moves the time of that L1");
  }
}

/** The configuration of a local network's node, except for values that are read from its L1. */
export function localNetworkValues({ values, origins }: Configuration): Values {
  const isDefault = (key: OptionKey): boolean => origins[key].kind === "default";
  const own = Object.fromEntries(Object.entries(OWN_DEFAULTS).filter(([key]) => isDefault(key as OptionKey)));
  const merged: Values = { ...values, ...own, ...FORCED };
  return {
    ...merged,
    l1ChainId: isDefault("l1ChainId") ? FORCED.l1ChainId : values.l1ChainId,
    prefundAddresses: merged.testAccounts
      ? [fromHex(BANANA_FEE_CONTRACT), ...values.prefundAddresses]
      : values.prefundAddresses,
    txPublicSetupAllowListExtend: [...TOKEN_SETUP_CALLS, ...values.txPublicSetupAllowListExtend],
  };
}

/**
 * Makes the deploying account publisher and coinbase, and `prover` that of the prover, unless others were configured.
 */
export function withPublisher(values: Values, { privateKey, address }: L1Key, prover: L1Key): Values {
  return {
    ...values,
    proverPublisherPrivateKeys: values.proverPublisherPrivateKeys ?? new Secret([prover.privateKey]),
    sequencerPublisherPrivateKeys: values.sequencerPublisherPrivateKeys ?? new Secret([privateKey]),
    coinbase: values.coinbase ?? address,
  };
}
