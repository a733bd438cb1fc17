import { ContentError } from "../../../src/errors/content-error.ts";
import { readU32, writeU32 } from "../../../src/protocol/bytes.ts";
import type { Store } from "../../../src/storage/store.ts";
import type { Table } from "../../../src/storage/table.ts";
import type { WorldStateStatus } from "../../../src/world-state/tables/status-row.ts";
import type {
  BlockEffects,
  BlocksInHashing,
  PreparedBlocks,
  WorldStateWriter,
} from "../../../src/world-state/types.ts";
import { GENESIS } from "./open-chain.ts";

export class StateMismatchError extends ContentError {
  override readonly errorCode: string = "state-mismatch";
  override readonly name = "StateMismatchError";
}

/**
 * Stores the tip, finalized and oldest block numbers, so that they commit and roll back with the chain. Accepts any
 * roots.
 */
export class FakeWorldState
  implements
    Pick<
      WorldStateWriter,
      "status" | "prepare" | "begin" | "write" | "unwindTo" | "setFinalized" | "lowerFinalized" | "pruneTo" | "reset"
    >
{
  readonly #table: Table;
  /** Called with each block; throws to simulate a block that does not apply. */
  refuse: (block: BlockEffects) => void = () => {};
  /** Number of messages that the first block of each checkpoint inserted. */
  readonly messagesSeen = new Map<number, number>();
  prepared = 0;
  /** Blocks whose history one call of pruneTo drops at most. */
  prunedTogether = Number.POSITIVE_INFINITY;

  constructor(store: Store) {
    this.#table = store.table("fake-world-state");
  }

  #get(name: string): number {
    const value = this.#table.get(Buffer.from(name));
    return value === undefined ? 0 : readU32(value, 0);
  }

  #put(name: string, number: number): void {
    const value = new Uint8Array(4);
    writeU32(value, 0, number);
    this.#table.put(Buffer.from(name), value);
  }

  status(): WorldStateStatus {
    return { tip: this.#get("tip"), finalized: this.#get("finalized"), oldest: this.#get("oldest") };
  }

  async prepare(blocks: BlockEffects[]): Promise<PreparedBlocks> {
    return this.begin(blocks).hashed;
  }

  begin(blocks: BlockEffects[], after?: BlocksInHashing): BlocksInHashing {
    this.prepared++;
    const first = (after?.last ?? this.status().tip) + 1;
    const range = { first, last: first + blocks.length - 1 };
    const hashed = Promise.resolve().then(() => {
      for (const [i, block] of blocks.entries()) {
        this.refuse(block);
        if (block.l1ToL2Messages) this.messagesSeen.set(first + i, block.l1ToL2Messages.length);
      }
      return range;
    });
    hashed.catch(() => undefined);
    return { ...range, underWay: Promise.resolve(), hashed };
  }

  write({ first, last }: PreparedBlocks): void {
    const { tip, oldest } = this.status();
    if (first !== tip + 1) throw new Error(`block ${first} does not follow ${tip}`);
    this.#put("tip", last);
    if (oldest === 0) this.#put("oldest", 1);
  }

  unwindTo(block: number): void {
    const { tip, finalized } = this.status();
    if (block >= tip || block < finalized)
      throw new Error(`cannot unwind from ${tip} to ${block}, finalized ${finalized}`);
    this.#put("tip", block);
  }

  setFinalized(block: number): void {
    const { tip, oldest, finalized } = this.status();
    if (block < 1 || block > tip || block < oldest) throw new Error(`cannot finalize ${block} of ${oldest}..${tip}`);
    if (block > finalized) this.#put("finalized", block);
  }

  pruneTo(block: number): void {
    const { oldest, finalized } = this.status();
    if (block <= oldest || block > finalized)
      throw new Error(`cannot prune ${oldest} to ${block}, finalized ${finalized}`);
    this.#put("oldest", Math.min(block, oldest + this.prunedTogether));
  }

  lowerFinalized(block: number): void {
    const { oldest, finalized } = this.status();
    if (block < oldest) throw new Error(`cannot take finalization back to ${block}, oldest ${oldest}`);
    if (block < finalized) this.#put("finalized", block);
  }

  reset(): void {
    this.#table.clear();
    this.messagesSeen.clear();
  }

  genesisHeader(): Uint8Array {
    return GENESIS.header;
  }
}
