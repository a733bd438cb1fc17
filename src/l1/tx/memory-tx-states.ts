import type { BlobSidecars } from "./transaction.ts";
import { isUnfinished, type TxState } from "./tx-state.ts";
import { KEPT_STATES, type TxStates } from "./tx-store.ts";

/** TxStates in memory, for a node without a data directory. */
export class MemoryTxStates implements TxStates {
  readonly #accounts = new Map<string, Map<number, { state: TxState; sidecars: BlobSidecars | undefined }>>();
  #lastId = 0;

  #of(account: string): Map<number, { state: TxState; sidecars: BlobSidecars | undefined }> {
    const states = this.#accounts.get(account) ?? new Map();
    this.#accounts.set(account, states);
    return states;
  }

  load(account: string): TxState[] {
    return [...this.#of(account).values()].map(({ state }) => ({ ...state }));
  }

  sidecars(account: string, id: number): BlobSidecars | undefined {
    return this.#of(account).get(id)?.sidecars;
  }

  add(account: string, state: Omit<TxState, "id">, sidecars: BlobSidecars | undefined): TxState {
    const states = this.#of(account);
    const added = { ...state, id: ++this.#lastId };
    states.set(added.id, { state: { ...added }, sidecars });
    for (const id of [...states.keys()].slice(0, Math.max(0, states.size - KEPT_STATES))) states.delete(id);
    return added;
  }

  update(account: string, state: TxState): void {
    const states = this.#of(account);
    const sidecars = isUnfinished(state) ? states.get(state.id)?.sidecars : undefined;
    states.set(state.id, { state: { ...state }, sidecars });
  }

  remove(account: string, { id }: TxState): void {
    this.#of(account).delete(id);
  }

  async close(): Promise<void> {}
}
