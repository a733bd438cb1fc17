import { generateKeyPair } from "@libp2p/crypto/keys";
import { RPC } from "@libp2p/gossipsub/message";
import type { Stream } from "@libp2p/interface";
import { createHost, type Host } from "../../../src/p2p/host/create-host.ts";
import type { GossipRouter } from "../../../src/p2p/patches/gossipsub/gossip-router.ts";
import type { GossipHost } from "../support/gossip-host.ts";

const MESHSUB = "/meshsub/1.1.0";

/** A real libp2p host that sends whatever a test wants over a gossip stream. */
export class HostilePeer {
  readonly host: Host;
  readonly #target: GossipHost;
  #stream: Stream | undefined;

  private constructor(host: Host, target: GossipHost) {
    this.host = host;
    this.#target = target;
  }

  static async connect(target: GossipHost): Promise<HostilePeer> {
    const host = await createHost({
      privateKey: await generateKeyPair("secp256k1"),
      listen: [],
      announce: [],
      maxPeers: 10,
      userAgent: "hostile",
      refuses: { address: () => false, peer: () => false },
      limitPerAddress: false,
      gossip: () => ({}) as GossipRouter,
    });
    await host.handle(MESHSUB, (stream) => stream.addEventListener("message", () => {}));
    await host.start();
    await host.dial(target.host.getMultiaddrs());
    return new HostilePeer(host, target);
  }

  get id(): string {
    return this.host.peerId.toString();
  }

  get isConnected(): boolean {
    return this.#target.host.getPeers().some((peer) => peer.toString() === this.id);
  }

  async openStream(): Promise<Stream> {
    const [connection] = this.host.getConnections();
    return connection.newStream(MESHSUB, { maxOutboundStreams: 1_000 });
  }

  /** Bytes as they are. False if the peer was disconnected or its stream reset. */
  async sendRaw(bytes: Uint8Array): Promise<boolean> {
    try {
      this.#stream ??= await this.openStream();
      if (!this.#stream.send(bytes)) await this.#stream.onDrain({ signal: AbortSignal.timeout(5_000) });
      return true;
    } catch {
      return false;
    }
  }

  /** A frame with its length in front. */
  sendFrame(frame: Uint8Array): Promise<boolean> {
    return this.sendRaw(Buffer.concat([varint(frame.length), frame]));
  }

  send(rpc: Partial<RPC>): Promise<boolean> {
    return this.sendFrame(RPC.encode({ subscriptions: [], messages: [], ...rpc }));
  }

  async stop(): Promise<void> {
    await this.host.stop();
  }
}

export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Uint8Array.of(...bytes, left);
    bytes.push((left % 128) | 0x80);
  }
}
