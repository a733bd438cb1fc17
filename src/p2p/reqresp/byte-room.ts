/** Bytes held for exchanges in flight, bounded overall and for each peer. */
export class ByteRoom {
  readonly #overall: number;
  readonly #perPeer: number;
  readonly #peers = new Map<string, number>();
  #used = 0;

  constructor(limits: { overall: number; perPeer: number }) {
    this.#overall = limits.overall;
    this.#perPeer = limits.perPeer;
  }

  /** Bytes held now. */
  get used(): number {
    return this.#used;
  }

  /** Takes `bytes` for `peer`; false if that would exceed a limit. */
  take(peer: string, bytes: number): boolean {
    const held = this.#peers.get(peer) ?? 0;
    if (held + bytes > this.#perPeer || this.#used + bytes > this.#overall) return false;
    this.#used += bytes;
    this.#peers.set(peer, held + bytes);
    return true;
  }

  release(peer: string, bytes: number): void {
    const held = (this.#peers.get(peer) ?? 0) - bytes;
    if (held > 0) this.#peers.set(peer, held);
    else this.#peers.delete(peer);
    this.#used -= bytes;
  }
}
