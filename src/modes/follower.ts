import { MissingOptionError } from "../config/errors.ts";
import type { Mode } from "./mode.ts";

/** A node without L1 and peers that follows other nodes. */
export const followerMode: Mode = {
  name: "follower",
  selected: ({ follower }) => follower,
  async run(configuration, version) {
    if (configuration.values.followerUpstreamUrls.length === 0) {
      throw new MissingOptionError(
        "followerUpstreamUrls",
        "A follower follows other nodes: give --follower-upstream-url or FOLLOWER_UPSTREAM_URL",
      );
    }
    const { runFollower } = await import("../node/follower/run-follower.ts");
    return runFollower(configuration, version);
  },
};
