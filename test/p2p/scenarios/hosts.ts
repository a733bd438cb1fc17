import { generateKeyPair } from "@libp2p/crypto/keys";
import { identify } from "@libp2p/identify";
import type { Libp2p, Stream, StreamMuxerFactory } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import type { Tolerance } from "../../../src/mempool/validation/gossip-checks.ts";
import type { RequestProtocol } from "../../../src/p2p/peers/request-client.ts";
import type { RequestTimeouts } from "../../../src/p2p/reqresp/client.ts";
import { StreamRequestClient } from "../../../src/p2p/reqresp/client.ts";
import { PROTOCOLS } from "../../../src/p2p/reqresp/protocols.ts";
import type { RequestHandlers } from "../../../src/p2p/reqresp/request-handler.ts";
import { RequestResponder } from "../../../src/p2p/reqresp/responder.ts";
import { readAll } from "../../../src/p2p/reqresp/stream-io.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

export interface Penalty {
  peer: string;
  tolerance: Tolerance;
  reason: string;
}

/** A host on loopback that answers with `handlers`, with the penalties it gave. */
export interface TestPeer {
  id: string;
  host: Libp2p;
  client: StreamRequestClient;
  responder: RequestResponder;
  penalties: Penalty[];
}

export interface TestPeerOptions {
  exchangeMs?: number;
  timeouts?: RequestTimeouts;
  muxer?: () => StreamMuxerFactory;
  /** Clock of the rate limits, in milliseconds. */
  now?: () => number;
}

/** A peer with more penalties is banned. */
const BANNED_AT = 50;

const started: TestPeer[] = [];

export async function stopPeers(): Promise<void> {
  for (const { client } of started) client.stop();
  await Promise.all(started.splice(0).map(({ host }) => host.stop()));
}

export async function testPeer(handlers: RequestHandlers = {}, options: TestPeerOptions = {}): Promise<TestPeer> {
  const host = await createLibp2p({
    start: false,
    privateKey: await generateKeyPair("secp256k1"),
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [options.muxer ?? yamux()],
    services: { identify: identify({ protocolPrefix: "aztec" }) },
  });
  const given: Penalty[] = [];
  const penalties = {
    penalize: (peer: string, tolerance: Tolerance, reason: string) => void given.push({ peer, tolerance, reason }),
  };
  const responder = new RequestResponder({
    handlers,
    penalties,
    isBanned: (peer) => given.filter((each) => each.peer === peer).length > BANNED_AT,
    log: silentLogger,
    exchangeMs: options.exchangeMs,
    now: options.now,
  });
  await responder.register(host);
  await host.start();
  const client = new StreamRequestClient(host, { penalties, log: silentLogger, timeouts: options.timeouts });
  const peer = { id: host.peerId.toString(), host, client, responder, penalties: given };
  started.push(peer);
  return peer;
}

export async function connect(from: TestPeer, to: TestPeer): Promise<void> {
  await from.host.dial(to.host.getMultiaddrs());
}

/** A stream of a request protocol, to be used in other ways than the client's. */
export async function openStream(from: TestPeer, to: TestPeer, name: RequestProtocol): Promise<Stream> {
  const [connection] = from.host.getConnections(to.host.peerId);
  return connection.newStream(PROTOCOLS[name].id);
}

/** All bytes up to the end of a stream; rejects if it is reset. */
export function read(stream: Stream): Promise<Uint8Array> {
  return readAll(stream, 64 * 2 ** 20, () => undefined);
}
