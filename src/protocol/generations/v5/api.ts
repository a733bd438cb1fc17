import type { ApiRules } from "../api.ts";

/** docs/protocol/05-rpc.md#540-what-each-generation-does. */
export const API: ApiRules = {
  release: "5.2.0",
  hasReleaseApi: false,
  maxListed: 50,
  publicLogsFollowPrivateLogs: false,
  showsContractsEarly: true,
  showsClassFunctions: false,
  showsL1Start: true,
  texts: {
    unknownHash: (hash) =>
      `Block hash ${hash} not found when resolving query. If the node API has been ` +
      "queried with anchor block hash possibly a reorg has occurred.",
    unknownArchive: (root) => `Block with archive ${root} not found when resolving query.`,
    ahead: (block) => `Block not found for number=${block} when resolving query.`,
    pruned: (block, oldest) =>
      `Unable to find leaf for block ${block} in the archive tree: ` +
      `world state history has been pruned to block ${oldest}`,
  },
};
