import type { PeerPenalties } from "../peers/penalties.ts";
import { type RequestClient, RequestStatus } from "../peers/request-client.ts";
import type { RequestPeers } from "./request-peers.ts";

/** For a node without P2P: transactions are collected from other nodes' RPC and from file stores. */
export const NO_PEERS: { client: RequestClient; peers: RequestPeers; penalties: PeerPenalties } = {
  client: { request: async () => ({ status: RequestStatus.FAILURE, body: new Uint8Array() }) },
  peers: { leastBusy: () => [] },
  penalties: { penalize: () => {} },
};
