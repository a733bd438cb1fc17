import type { PeerScoreParams } from "@libp2p/gossipsub/score";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import type { GossipRouter } from "./gossip-router.ts";

export interface RawMessage {
  data?: Uint8Array;
}

export interface RpcMessage extends RawMessage {
  topic: string;
}

/** A decoded frame of gossip. */
export interface Rpc {
  subscriptions?: object[];
  messages?: RpcMessage[];
  control?: object;
}

/** What the router knows of a peer, connected or not. */
interface PeerStats {
  connected: boolean;
  /** Unix milliseconds after which the statistics of a peer that left are dropped. */
  expire: number;
}

/** What the router counts of a peer on one topic. */
export interface TopicStats {
  readonly meshMessageDeliveries: number;
}

export interface ScoreInternals {
  readonly params: PeerScoreParams;
  readonly scoreCache: Map<string, unknown>;
  readonly peerStats: Map<string, PeerStats>;
  readonly deliveryRecords: {
    readonly records: Map<string, unknown>;
    readonly queue: { readonly length: number; shift(): { msgId: string } | undefined };
  };
  addPeer(peer: string): void;
  /** Null for a topic without score parameters. */
  getPtopicStats(peer: PeerStats, topic: string): TopicStats | null;
  /** A message was accepted; `from` sent it first. */
  deliverMessage(from: string, id: string, topic: string): void;
  /** A message came again. */
  duplicateMessage(from: string, id: string, topic: string): void;
  addPenalty(peer: string, count: number, label: string): void;
  score(peer: string): number;
}

/** The stream on which frames go to a peer. */
export interface OutboundFrames {
  readonly rawStream: Pick<Stream, "send" | "status" | "writeStatus">;
  /** Sends a frame that has its length in front. Throws if the stream is closed. */
  pushPrefixed(frame: Parameters<Stream["send"]>[0]): void;
  close(options?: object): Promise<void>;
}

/** Private parts of gossipsub 17.1.1, whose version is pinned in package.json. */
export interface RouterInternals {
  seenCache: unknown;
  fastMsgIdCache: unknown;
  readonly mcache: { put(id: { msgIdStr: string }, message: RawMessage, validated?: boolean): boolean };
  readonly score: ScoreInternals;
  readonly acceptFromWhitelist: Map<string, unknown>;
  readonly peers: Map<string, PeerId>;
  readonly direct: ReadonlySet<string>;
  /** Ids of the mesh peers of each topic. */
  readonly mesh: ReadonlyMap<string, ReadonlySet<string>>;
  readonly streamsOutbound: Map<string, OutboundFrames>;
  readonly streamsInbound: Map<string, { close(): Promise<void> }>;
  outboundInflightQueue: { push(wanted: { peerId: PeerId; connection: Connection }): unknown; end(): unknown };
  createOutboundStream(peerId: PeerId, connection: Connection): Promise<void>;
  createInboundStream(peerId: PeerId, stream: Stream): void;
  decodeRpc(frame: Uint8Array): Rpc;
  handleReceivedRpc(from: PeerId, rpc: Rpc): Promise<void>;
  onPeerDisconnected(peerId: PeerId): void;
  /** Takes offers of messages, returns what to ask for. */
  handleIHave(peer: string, offers: object[]): { messageIDs: Uint8Array[] }[];
  /** Takes requests, returns the messages to send. */
  handleIWant(peer: string, requests: object[]): RpcMessage[];
  sendRpc(peer: string, rpc: object): boolean;
  /** Sends an accepted message to all mesh peers but its source and those that sent it too, `known`. */
  forwardMessage(id: string, message: RpcMessage, source?: string, known?: ReadonlySet<string>): void;
  readonly gossipTracer: { addPromise(peer: string, ids: Uint8Array[]): void };
  doAddBackoff(peer: string, topic: string, ms: number): void;
  start(): Promise<void>;
}

const NAMES = [
  "seenCache",
  "fastMsgIdCache",
  "mcache",
  "score",
  "acceptFromWhitelist",
  "peers",
  "direct",
  "streamsOutbound",
  "streamsInbound",
  "outboundInflightQueue",
  "createOutboundStream",
  "createInboundStream",
  "decodeRpc",
  "handleReceivedRpc",
  "onPeerDisconnected",
  "doAddBackoff",
  "handleIHave",
  "handleIWant",
  "sendRpc",
  "forwardMessage",
  "mesh",
  "gossipTracer",
  "start",
] as const satisfies readonly (keyof RouterInternals)[];

/** Throws an Error for another version of the library that lacks a part. */
export function routerInternals(router: GossipRouter): RouterInternals {
  const inside = router as unknown as RouterInternals;
  for (const name of NAMES) {
    if (inside[name] === undefined) throw new Error(`gossipsub has no ${name}: its version is not the expected one`);
  }
  return inside;
}
