import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OffenseStore } from "../../../src/slasher/offenses/offense-store.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";

/** An offense store on disk that can be opened again. */
export class TestStore {
  readonly #path = mkdtempSync(join(tmpdir(), "svc-offenses-"));
  readonly #epochDuration: number;
  #store!: Store;
  offenses!: OffenseStore;

  constructor(epochDuration: number) {
    this.#epochDuration = epochDuration;
    this.#open();
  }

  #open(): void {
    this.#store = openStore({ path: this.#path });
    this.offenses = new OffenseStore(this.#store, { epochDuration: this.#epochDuration });
  }

  async reopen(): Promise<void> {
    await this.#store.close();
    this.#open();
  }

  async close(): Promise<void> {
    await this.#store.close();
    rmSync(this.#path, { recursive: true });
  }
}
