import { boolean } from "../kinds/kinds.ts";
import { byteSize, integer, MAX_BODY, MAX_COUNT, MAX_MEMORY, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const { withDefault } = rowsOf("RPC", "rpc");

/** WebSocket connections to the public port. */
export const rpcSockets = {
  rpcSockets: withDefault(
    {
      flags: ["--rpc-sockets"],
      env: ["SVC_RPC_SOCKETS"],
      kind: boolean,
      to: ["rpc.sockets.enabled"],
      meaning: "serve WebSockets, with subscriptions, at the root path of the public port",
    },
    true,
  ),
  rpcSocketsPerClient: withDefault(
    {
      flags: ["--rpc-sockets-per-client"],
      env: ["SVC_RPC_SOCKETS_PER_CLIENT"],
      kind: integer(0, 32_767),
      to: ["rpc.sockets.maxPerClient"],
      meaning: "maximum WebSockets per client address, 0 for no limit",
    },
    64,
  ),
  rpcSocketSubscriptions: withDefault(
    {
      flags: ["--rpc-socket-subscriptions"],
      env: ["SVC_RPC_SOCKET_SUBSCRIPTIONS"],
      kind: integer(0, 10_000),
      to: ["rpc.sockets.maxSubscriptions"],
      meaning: "maximum subscriptions of one WebSocket",
    },
    64,
  ),
  rpcSocketFilters: withDefault(
    {
      flags: ["--rpc-socket-filters"],
      env: ["SVC_RPC_SOCKET_FILTERS"],
      kind: integer(0, 100_000),
      to: ["rpc.sockets.maxFilters"],
      meaning: "maximum tags, contracts and transaction hashes in the subscriptions of one WebSocket",
    },
    1_000,
  ),
  rpcSocketMessageSize: withDefault(
    {
      flags: ["--rpc-socket-message-size"],
      env: ["SVC_RPC_SOCKET_MESSAGE_SIZE"],
      kind: byteSize(MAX_BODY),
      to: ["rpc.sockets.maxMessageBytes"],
      meaning:
        "maximum size of a message of a WebSocket client; the connection of one that sends a larger one is closed",
    },
    1024 ** 2,
  ),
  rpcSocketUnreadSize: withDefault(
    {
      flags: ["--rpc-socket-unread-size"],
      env: ["SVC_RPC_SOCKET_UNREAD_SIZE"],
      kind: byteSize(MAX_MEMORY),
      to: ["rpc.sockets.maxBuffered"],
      meaning: "bytes that a WebSocket client may leave unread before it gets no more events and answers",
    },
    256 * 1024,
  ),
  rpcSocketIdleTimeoutMs: withDefault(
    {
      flags: ["--rpc-socket-idle-timeout"],
      env: ["SVC_RPC_SOCKET_IDLE_TIMEOUT_MS"],
      kind: integer(8_000, MAX_MILLISECONDS),
      to: ["rpc.sockets.idleTimeoutMs"],
      meaning:
        "milliseconds after which a WebSocket client that does not even answer pings is cut off, at most 960,000",
    },
    60_000,
  ),
  rpcSocketBlocksBehind: withDefault(
    {
      flags: ["--rpc-socket-blocks-behind"],
      env: ["SVC_RPC_SOCKET_BLOCKS_BEHIND"],
      kind: integer(1, MAX_COUNT),
      to: ["rpc.sockets.maxBehind"],
      meaning:
        "maximum blocks by which a subscriber may be behind, and that are sent to one that resumes from a cursor",
    },
    10_000,
  ),
};
