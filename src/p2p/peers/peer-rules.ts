export interface PeerRule {
  /** Whether a peer or an IP address is refused. */
  refuses(who: string): boolean;
  /** Whether a peer takes no part in gossip. */
  isShutOut(peer: string): boolean;
}

/** Which peers are refused besides those of a bad score. The host asks; rules that use the host are added to it. */
export class PeerRules implements PeerRule {
  readonly #rules: PeerRule[] = [];

  add(rule: PeerRule): void {
    this.#rules.push(rule);
  }

  refuses(who: string): boolean {
    return this.#rules.some((rule) => rule.refuses(who));
  }

  isShutOut(peer: string): boolean {
    return this.#rules.some((rule) => rule.isShutOut(peer));
  }
}
