import type { Configuration } from "../../config/configuration.ts";
import { parseLogFilter } from "../../config/log-filter.ts";
import type { OptionKey, Values } from "../../config/options.ts";
import { Secret } from "../../config/secret.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { MAX_BLOCKS_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { AllowedSetupCall } from "../../protocol/tx/setup-allow-list.ts";
import type { L1Key } from "./l1-account.ts";
import { BANANA_FEE_CONTRACT } from "./set-up-txs.ts";

const TOKEN_CLASS = fromHex("0x01efe16b55107894e6b6fb63cebc1a3233e23bbcd648fd9cdf6c0351749ce7ee");

/** Functions of the token that txs may call in their setup here, so that its fee contract can be used (sheet 06 section 1.3). */
export const TOKEN_SETUP_CALLS: readonly AllowedSetupCall[] = [
  { classId: TOKEN_CLASS, selector: fromHex("0xe7f045ff"), calldataLength: 3, onlySelf: true },
  { classId: TOKEN_CLASS, selector: fromHex("0x8c9e5472"), calldataLength: 5 },
];

/** Values that hold here where nothing else was given: nobody waits for a clock on a network that makes its own time. */
const OWN_DEFAULTS = {
  testAccounts: true,
  rpcHost: "127.0.0.1",
  archiverPollingIntervalMS: 100,
  sequencerPollingIntervalMS: 50,
  l1TxCheckIntervalMs: 25,
  minTxPoolAgeMs: 0,
  // A block may use all that its checkpoint has: a slot of many blocks would otherwise have none with room for a usual tx.
  perBlockAllocationMultiplier: MAX_BLOCKS_PER_CHECKPOINT,
  // One line a block: it is published right after it is built.
  logLevel: parseLogFilter("info;warn:sequencer:publisher"),
} as const satisfies Partial<Values>;

/** What no option changes (sheet 06 section 8.1). */
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

/** The configuration of a local network's node, without what only its L1 tells. */
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

/** The account that deployed publishes and is paid, unless others were named. */
export function withPublisher(values: Values, { privateKey, address }: L1Key): Values {
  return {
    ...values,
    sequencerPublisherPrivateKeys: values.sequencerPublisherPrivateKeys ?? new Secret([privateKey]),
    coinbase: values.coinbase ?? address,
  };
}
