import { Listeners } from "../events/listeners.ts";
import type { Account } from "./accounts.ts";
import { KeystoreError, KeystoreReloadRefusedError } from "./errors.ts";
import { Keystore } from "./keystore.ts";

/** What a reload changed. Addresses of attesters, lower-case 0x text. */
interface KeystoreChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Attesters that publish with their own keys, none of which sent L1 transactions at startup: they cannot publish. */
  readonly withoutSender: readonly string[];
}

/**
 * The keys in force. A reload (svcAdmin_reloadKeystore) may change attesters, their coinbase and fee recipients, and
 * which publishers belong to which attester. The set of L1 publishers and the prover's keys stay as they were at
 * startup.
 */
export class ActiveKeystore {
  readonly #load: () => Promise<Keystore>;
  readonly #publishers: ReadonlySet<string> | undefined;
  readonly #listeners: Listeners<[Keystore]>;
  #current: Keystore;
  /** Reloads never overlap. */
  #running: Promise<unknown> = Promise.resolve();

  /**
   * `load` reads the files again. `publishers` are the addresses of the L1 signers created at startup, lower-case 0x
   * text; undefined when the node does not publish, so that any publisher is accepted.
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

  /**
   * Replaces the keys with those of the files. Rejects with a KeystoreError and changes nothing when they cannot be
   * used.
   */
  reload(): Promise<KeystoreChange> {
    const run = this.#running.then(
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#running = run;
    return run;
  }

  async #reload(): Promise<KeystoreChange> {
    const loaded = await this.#load();
    if (loaded.validators.length === 0) throw new KeystoreError([{ field: "validators", rule: "must not be empty" }]);
    this.#checkPublishers(loaded);
    const before = this.#current;
    const { prover, slasher } = before;
    this.#current = new Keystore({ validators: [...loaded.validators], prover, slasher: [...slasher] });
    this.#listeners.emit(this.#current);
    return {
      added: loaded.attesterAddresses().filter((address) => before.attester(address) === undefined),
      removed: before.attesterAddresses().filter((address) => loaded.attester(address) === undefined),
      withoutSender: loaded.attesterAddresses().filter((address) => !this.#canPublish(loaded.publishersOf(address))),
    };
  }

  #canPublish(publishers: readonly Account[]): boolean {
    return this.#publishers === undefined || publishers.some(({ address }) => this.#publishers?.has(address));
  }

  /**
   * A validator that names publishers must name at least one that was known at startup; one that names none publishes
   * itself.
   */
  #checkPublishers(loaded: Keystore): void {
    const known = this.#publishers ?? [];
    for (const { attesters, publishers } of loaded.validators) {
      if (publishers === undefined || this.#canPublish(publishers)) continue;
      throw new KeystoreReloadRefusedError(
        `Cannot reload keystore: validator ${attesters[0].address} has publisher keys ` +
          `[${publishers.map(({ address }) => address).join(", ")}] but none match the L1 signers initialized at startup ` +
          `[${[...known].join(", ")}]. Publishers cannot be hot-reloaded — use an existing publisher key or restart the node.`,
      );
    }
  }
}
