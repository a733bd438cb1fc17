import type { ApiRules } from "../api.ts";

/** docs/protocol/05-rpc.md#540-what-each-generation-does. */
export const API: ApiRules = {
  release: "4.3.1",
  hasReleaseApi: true,
  maxListed: 100,
  publicLogsFollowPrivateLogs: true,
  showsContractsEarly: false,
  showsClassFunctions: true,
  showsL1Start: false,
  texts: {
    unknownHash: (hash) =>
      `Block hash ${hash} not found when querying world state. If the node API has been ` +
      "queried with anchor block hash possibly a reorg has occurred.",
    unknownArchive: (root) => `Block with archive ${root} not found.`,
    ahead: (block, tip) => `Queried block ${block} not yet synced by the node (node is synced upto ${tip}).`,
    pruned: (block) => `Unable to get meta data for block ${block}, failed to get block data.`,
  },
};
