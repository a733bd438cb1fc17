import type { ChainReader, ChainTips } from "../../archiver/types.ts";
import type { BlockRef } from "./chain-cursor.ts";

/** Blocks whose hashes are remembered, so that the block where two chains part is found exactly. */
const MAX_REMEMBERED = 4_096;

/** What a commit changed. */
interface ChainChange {
  /** The last block that stayed, where blocks were removed. */
  removedAbove: number | undefined;
  /** Whether there is anything new for a subscriber. */
  changed: boolean;
}

/**
 * The chain as its subscribers know it. Between two calls of `advance` it stays what it was, whatever is committed: the
 * hashes of removed blocks are not in the store any more.
 */
export class ChainView {
  readonly #chain: ChainReader;
  /** Of the blocks from `#first` to the tip. */
  #hashes: Uint8Array[] = [];
  #first = 0;
  #tips: ChainTips;
  #tipsText: string;

  constructor(chain: ChainReader) {
    this.#chain = chain;
    this.#tips = chain.tips();
    this.#tipsText = JSON.stringify(this.#tips);
    this.#remember();
  }

  get tips(): ChainTips {
    return this.#tips;
  }

  get head(): BlockRef {
    const number = this.#first + this.#hashes.length - 1;
    return { number, hash: this.#hashes[this.#hashes.length - 1] };
  }

  get finalized(): number {
    return this.#tips.finalized.block.number;
  }

  /** undefined above the tip. */
  readonly hashAt = (number: number): Uint8Array | undefined => {
    if (number > this.head.number) return undefined;
    return number >= this.#first ? this.#hashes[number - this.#first] : this.#chain.block(number)?.hash;
  };

  /** Takes over what was committed since the last call. */
  advance(): ChainChange {
    const tips = this.#chain.tips();
    const text = JSON.stringify(tips);
    if (text === this.#tipsText) return { removedAbove: undefined, changed: false };
    const before = this.head.number;
    const [first, finalized] = [this.#first, this.finalized];
    const common = this.#common();
    this.#tips = tips;
    this.#tipsText = text;
    if (common === undefined) {
      this.#remember();
      // A final block stays, unless it was the first one remembered.
      return { removedAbove: finalized < first ? finalized : 0, changed: true };
    }
    this.#hashes.length = common - this.#first + 1;
    this.#extend();
    return { removedAbove: common < before ? common : undefined, changed: true };
  }

  /** Highest remembered block that is still on the chain. */
  #common(): number | undefined {
    const latest = this.#chain.latestBlockNumber();
    for (let number = Math.min(this.head.number, latest); number >= this.#first; number--) {
      const hash = this.#chain.block(number)?.hash;
      if (hash !== undefined && Buffer.compare(hash, this.#hashes[number - this.#first]) === 0) return number;
    }
    return undefined;
  }

  #remember(): void {
    const latest = this.#chain.latestBlockNumber();
    this.#first = Math.max(0, Math.min(this.#chain.finalizedBlockNumber(), latest), latest - MAX_REMEMBERED + 1);
    this.#hashes = [];
    this.#extend();
  }

  #extend(): void {
    const latest = this.#chain.latestBlockNumber();
    for (let number = this.#first + this.#hashes.length; number <= latest; number++) {
      this.#hashes.push(this.#chain.block(number)!.hash);
    }
    const surplus = this.#hashes.length - 2 * MAX_REMEMBERED;
    if (surplus <= 0) return;
    // In large steps: a shift moves the whole list.
    this.#hashes.splice(0, surplus + MAX_REMEMBERED);
    this.#first += surplus + MAX_REMEMBERED;
  }
}
