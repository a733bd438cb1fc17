import { listOf, text } from "../kinds/kinds.ts";
import { integer, port } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { httpUrl } from "../kinds/url-kinds.ts";

const follower = rowsOf("Followers", "follower");
const feed = rowsOf("Followers", "feed");

/** Nodes that follow other nodes instead of L1, and what these serve them (docs/feed.md). */
export const followers = {
  followerUpstreamUrls: follower.withDefault(
    {
      flags: ["--follower-upstream-url"],
      env: ["FOLLOWER_UPSTREAM_URL"],
      kind: listOf(httpUrl),
      to: ["follower.upstreamUrls"],
      meaning: "nodes whose feed a follower follows, in order of preference: URLs of their feed ports",
    },
    [],
  ),
  followerRpcUrls: follower.withDefault(
    {
      flags: ["--follower-rpc-url"],
      env: ["FOLLOWER_RPC_URL"],
      kind: listOf(httpUrl),
      to: ["follower.rpcUrls"],
      meaning:
        "JSON-RPC URLs of full nodes to which a follower forwards transactions and other live calls; by default the public ports of the nodes that it follows",
    },
    [],
  ),
  feedPort: feed.optional({
    flags: ["--feed-port"],
    env: ["SVC_FEED_PORT"],
    kind: port,
    to: ["feed.port"],
    meaning: "port of the feed for followers, 0 for any free one; unset serves none",
  }),
  feedHost: feed.withDefault(
    {
      flags: ["--feed-host"],
      env: ["SVC_FEED_HOST"],
      kind: text,
      to: ["feed.host"],
      meaning: "address that the port of the feed binds to",
    },
    "127.0.0.1",
  ),
  feedMaxFollowers: feed.withDefault(
    {
      flags: ["--feed-max-followers"],
      env: ["SVC_FEED_MAX_FOLLOWERS"],
      kind: integer(1, 1_000),
      to: ["feed.maxFollowers"],
      meaning: "maximum followers of the feed at once; further ones are answered with status 503",
    },
    16,
  ),
};
