import { Listeners } from "../../../src/events/listeners.ts";
import type { ConnectedPeer, DialInProgress, PeerHost } from "../../../src/p2p/peers/peer-host.ts";

const rethrow = (error: unknown) => {
  throw error;
};

/** Connections in memory. */
export class FakeHost implements PeerHost {
  readonly id = "self";
  readonly connected = new Map<string, ConnectedPeer>();
  readonly dialled: string[] = [];
  /** Peers that cannot be dialled. */
  readonly unreachable = new Set<string>();
  readonly #connects = new Listeners<[string]>(rethrow);
  readonly #disconnects = new Listeners<[string]>(rethrow);

  connect(id: string, inbound = true): void {
    this.connected.set(id, { id, ip: "127.0.0.1", since: this.connected.size, inbound });
    this.#connects.emit(id);
  }

  peers(): ConnectedPeer[] {
    return [...this.connected.values()];
  }

  isConnected(id: string): boolean {
    return this.connected.has(id);
  }

  dials(): DialInProgress[] {
    return [];
  }

  async dial(id: string): Promise<void> {
    this.dialled.push(id);
    await Promise.resolve();
    if (this.unreachable.has(id)) throw new Error("unreachable");
    this.connect(id, false);
  }

  async hangUp(id: string): Promise<void> {
    if (this.connected.delete(id)) this.#disconnects.emit(id);
  }

  onConnect(listener: (id: string) => void): () => void {
    return this.#connects.add(listener);
  }

  onDisconnect(listener: (id: string) => void): () => void {
    return this.#disconnects.add(listener);
  }
}
