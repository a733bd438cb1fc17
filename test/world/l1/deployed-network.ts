import { configure } from "../../../src/config/configuration.ts";
import type { DeployOptions } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { deployerFromMnemonic } from "../../../src/l1/deploy/deployer.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";

export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/**
 * The reference's local network (docs/protocol/08-building-and-checkpoints.md#828-local-network): no committee, epochs
 * of two slots, five funded L2 addresses.
 */
export function localNetwork(url: string, variables: Record<string, string> = {}): DeployOptions {
  const environment = {
    AZTEC_TARGET_COMMITTEE_SIZE: "0",
    AZTEC_SLASHER_FLAVOR: "none",
    AZTEC_EPOCH_DURATION: "2",
    ...variables,
  };
  return {
    l1RpcUrls: [url],
    l1ChainId: 31337,
    ethereumSlotDuration: 12,
    deployer: deployerFromMnemonic(TEST_MNEMONIC, 0),
    parameters: configure({ flags: new Map(), environment }).values,
    contracts: V4.contracts,
    genesisArchiveRoot: fromHex("0x2dbb06108e9a86dfd66387eac78e843c558a4c742514c4d1423e306717362435"),
    feeJuicePortalFunding: 50_000n * 10n ** 18n,
  };
}
