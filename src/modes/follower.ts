import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import type { Mode } from "./mode.ts";

function requireUpstream({ followerUpstreamUrls }: Values): void {
  if (followerUpstreamUrls.length > 0) return;
  throw new MissingOptionError(
    "followerUpstreamUrls",
    "A follower follows other nodes: give --follower-upstream-url or FOLLOWER_UPSTREAM_URL",
  );
}

/** A node without L1 and peers that follows other nodes. */
export const followerMode: Mode = {
  name: "follower",
  selected: ({ follower }) => follower,
  hasNodePorts: true,
  async checks() {
    const { apiKeys } = await import("../node/keys/api-keys.ts");
    return [requireUpstream, (values) => apiKeys(partValues(values).rpc.keys)];
  },
  async run(configuration, version) {
    const { runFollower } = await import("../node/follower/run-follower.ts");
    return runFollower(configuration, version);
  },
};
