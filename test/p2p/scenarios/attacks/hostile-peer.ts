import { generateKeyPair } from "@libp2p/crypto/keys";
import { identify } from "@libp2p/identify";
import type { Connection, PrivateKey, Stream, StreamMuxerFactory } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p, type Libp2p } from "libp2p";
import { compressSync } from "snappy";
import type { RequestProtocol } from "../../../../src/p2p/peers/request-client.ts";
import { encodeStatus } from "../../../../src/p2p/reqresp/codecs/status-message.ts";
import { PROTOCOLS } from "../../../../src/p2p/reqresp/protocols.ts";
import { drained, readRequest, sendAnswer } from "../../../../src/p2p/reqresp/stream-io.ts";
import type { AttackStage } from "./attack.ts";
import type { SubjectFacts } from "./target.ts";

export const GOSSIP = "/meshsub/1.1.0";

let addresses = 0;

/** A loopback address that no other hostile peer of this process has. */
export function freshAddress(): string {
  const n = addresses++;
  return `127.${20 + ((n >> 15) & 127)}.${(n >> 7) & 255}.${1 + (n & 127)}`;
}

export interface HostilePeerOptions {
  /** Address that it dials from; a new one if not given. */
  from?: string;
  privateKey?: PrivateKey;
  /** Replaces yamux. */
  muxer?: () => StreamMuxerFactory;
  /** What it does when it is asked for its status; answers well if not given. */
  onStatus?(stream: Stream): void;
  /** What it does with the stream of the node's gossip; reads everything if not given. */
  onGossip?(stream: Stream): void;
  /** Replaces its answer to identify. */
  onIdentify?(stream: Stream): void;
  /** Called before each attempt to connect. */
  onAttempt?(): void;
}

async function answerStatus(stream: Stream, status: Uint8Array): Promise<void> {
  await readRequest(stream, 1 << 20);
  await sendAnswer(stream, 0, status);
}

/** A libp2p client without gossipsub, connected to a node: what goes over its streams is up to the attack. */
export class HostilePeer {
  readonly #libp2p: Libp2p;
  readonly connection: Connection;

  private constructor(libp2p: Libp2p, connection: Connection) {
    this.#libp2p = libp2p;
    this.connection = connection;
  }

  /** Rejects when the node refuses the connection. */
  static async connect(
    target: SubjectFacts,
    signal: AbortSignal,
    options: HostilePeerOptions = {},
  ): Promise<HostilePeer> {
    const { from = freshAddress(), muxer, onIdentify } = options;
    const services = onIdentify === undefined ? { identify: identify({ protocolPrefix: "aztec" }) } : {};
    const libp2p = await createLibp2p({
      privateKey: options.privateKey ?? (await generateKeyPair("secp256k1")),
      addresses: { listen: [] },
      transports: [tcp({ dialOpts: { localAddress: from } as object })],
      connectionEncrypters: [noise()],
      streamMuxers: [muxer ?? yamux()],
      connectionMonitor: { enabled: false },
      connectionManager: { maxConnections: 100_000 },
      services: services as Record<string, never>,
    });
    const limits = { maxInboundStreams: 1_000, maxOutboundStreams: 100_000 };
    if (onIdentify !== undefined) await libp2p.handle("/aztec/id/1.0.0", onIdentify, limits);
    await libp2p.handle(GOSSIP, options.onGossip ?? ((stream) => stream.addEventListener("message", () => {})), limits);
    const { version } = target;
    const status = compressSync(encodeStatus({ version, latestBlock: 1, latestHash: "", finalizedBlock: 0 }));
    await libp2p.handle(
      PROTOCOLS.status.id,
      options.onStatus ?? ((stream) => void answerStatus(stream, status).catch(() => {})),
      limits,
    );
    try {
      const address = multiaddr(`/ip4/127.0.0.1/tcp/${target.port}/p2p/${target.id}`);
      return new HostilePeer(libp2p, await libp2p.dial(address, { signal }));
    } catch (error) {
      await libp2p.stop();
      throw error;
    }
  }

  get open(): boolean {
    return this.connection.status === "open";
  }

  /** A new connection with the same key, from another address. */
  async again(target: SubjectFacts, signal: AbortSignal): Promise<Connection> {
    const address = multiaddr(`/ip4/127.0.0.1/tcp/${target.port}/p2p/${target.id}`);
    return await this.#libp2p.dial(address, { signal, force: true });
  }

  stream(protocol: string, signal: AbortSignal): Promise<Stream> {
    return this.connection.newStream(protocol, { signal, maxOutboundStreams: 100_000 });
  }

  requestStream(protocol: RequestProtocol, signal: AbortSignal): Promise<Stream> {
    return this.stream(PROTOCOLS[protocol].id, signal);
  }

  async close(): Promise<void> {
    this.connection.abort(new Error("the attack ends"));
    await this.#libp2p.stop();
  }
}

/** Bytes that a hostile peer has in its own buffer before it waits. */
const AHEAD = 1 << 20;

/** Sends, and waits for the node to take it; rejects when the stream has ended. */
export async function send(stream: Stream, bytes: Uint8Array): Promise<void> {
  stream.send(bytes);
  if (stream.writeBufferLength > AHEAD) await drained(stream);
  await new Promise((resolve) => setImmediate(resolve));
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves at the end of the stage. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Time between attempts of a peer that was refused, in milliseconds. */
const AGAIN_MS = 100;

function lost({ connection }: HostilePeer): Promise<void> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error("disconnected"));
    if (connection.status !== "open") fail();
    else connection.addEventListener("close", fail, { once: true });
  });
}

/**
 * Lets one peer after the other do `work`, each with a new key and from a new address, until the stage ends. A peer
 * that is disconnected, or whose work fails, counts as refused.
 */
export async function persist(
  { target, counts, signal }: AttackStage,
  work: (peer: HostilePeer) => Promise<void>,
  options: HostilePeerOptions = {},
): Promise<void> {
  while (!signal.aborted) {
    let peer: HostilePeer | undefined;
    try {
      options.onAttempt?.();
      peer = await HostilePeer.connect(target, signal, options);
      await Promise.race([work(peer), ended(signal), lost(peer)]);
    } catch {
      if (!signal.aborted) counts.refused++;
    }
    await peer?.close().catch(() => {});
    if (!signal.aborted) await pause(AGAIN_MS);
  }
}

/** Runs `count` peers at the same time. */
export async function many(count: number, one: (i: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
}
