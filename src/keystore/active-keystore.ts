import { Listeners } from "../events/listeners.ts";
import { KeystoreError, KeystoreReloadRefusedError } from "./errors.ts";
import { Keystore } from "./keystore.ts";

/**
 * The keys in force, and what a reload may change of them (seed 1, svcAdmin_reloadKeystore): attesters, their coinbase and fee
 * recipients, and which publishers belong to which attester. The set of L1 publishers and the prover's keys are those of the start.
 */
export class ActiveKeystore {
  readonly #load: () => Promise<Keystore>;
  readonly #publishers: ReadonlySet<string> | undefined;
  readonly #listeners: Listeners<[Keystore]>;
  #current: Keystore;
  /** Reloads never overlap. */
  #running: Promise<void> = Promise.resolve();

  /**
   * `load` reads the files anew. `publishers` are the L1 signers made at the start, lower-case 0x text; undefined when nothing is
   * published, so that any will do.
   */
  constructor(
    initial: Keystore,
    load: () => Promise<Keystore>,
    publishers: readonly string[] | undefined,
    listenerFailed: (error: unknown) => void,
  ) {
    this.#current = initial;
    this.#listeners = new Listeners(listenerFailed);
    this.#load = load;
    this.#publishers = publishers && new Set(publishers);
  }

  get current(): Keystore {
    return this.#current;
  }

  /** Listeners are called with the keys now in force. Returns an unsubscribe function. */
  onReload(listener: (keystore: Keystore) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Takes the files over, wholly or, when it throws a KeystoreError, not at all. */
  reload(): Promise<void> {
    const run = this.#running.then(
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#running = run;
    return run;
  }

  async #reload(): Promise<void> {
    const loaded = await this.#load();
    if (loaded.validators.length === 0) throw new KeystoreError([{ field: "validators", rule: "must not be empty" }]);
    this.#checkPublishers(loaded);
    const { prover, slasher } = this.#current;
    this.#current = new Keystore({ validators: [...loaded.validators], prover, slasher: [...slasher] });
    this.#listeners.emit(this.#current);
  }

  /** Of the publishers that a validator names, at least one must have been there at the start; one that names none publishes itself. */
  #checkPublishers(loaded: Keystore): void {
    const known = this.#publishers;
    if (known === undefined) return;
    for (const { attesters, publishers } of loaded.validators) {
      if (publishers === undefined || publishers.some(({ address }) => known.has(address))) continue;
      throw new KeystoreReloadRefusedError(
        `Cannot reload keystore: validator ${attesters[0].address} has publisher keys ` +
          `[${publishers.map(({ address }) => address).join(", ")}] but none match the L1 signers initialized at startup ` +
          `[${[...known].join(", ")}]. Publishers cannot be hot-reloaded — use an existing publisher key or restart the node.`,
      );
    }
  }
}
