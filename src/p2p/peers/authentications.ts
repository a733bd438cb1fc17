/** Which connected peer authenticated as which validator; one peer per validator and one validator per peer. */
export class Authentications {
  readonly #validatorOf = new Map<string, string>();
  readonly #peerOf = new Map<string, string>();

  has(peer: string): boolean {
    return this.#validatorOf.has(peer);
  }

  /** False if another peer holds the validator: then nothing is recorded. `validator` is lower-case 0x text. */
  bind(peer: string, validator: string): boolean {
    const holder = this.#peerOf.get(validator);
    if (holder !== undefined && holder !== peer) return false;
    this.drop(peer);
    this.#validatorOf.set(peer, validator);
    this.#peerOf.set(validator, peer);
    return true;
  }

  drop(peer: string): void {
    const validator = this.#validatorOf.get(peer);
    if (validator === undefined) return;
    this.#validatorOf.delete(peer);
    this.#peerOf.delete(validator);
  }

  /** Drops peers whose validator is not in the set; returns them. */
  retain(validators: ReadonlySet<string>): string[] {
    const dropped = [...this.#validatorOf].filter(([, validator]) => !validators.has(validator)).map(([peer]) => peer);
    for (const peer of dropped) this.drop(peer);
    return dropped;
  }
}
