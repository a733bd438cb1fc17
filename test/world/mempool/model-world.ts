import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import type { PoolChainView } from "../../../src/mempool/pool/pool-chain-view.ts";
import type { AddedBlock } from "../../../src/mempool/pool/tx-pool.ts";
import { mapKey, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { seeded } from "./pool-txs.ts";

interface WorldBlock {
  number: number;
  hash: Uint8Array;
  timestamp: bigint;
  txs: TxFacts[];
}

/** Hash of the header of block `block` of the model's chain. */
export const anchorOf = (block: number) => fr(1_000 + block);

/** A chain around a pool: blocks of txs, balances that each block may change, and a clock. */
export class ModelWorld implements PoolChainView {
  /** Milliseconds. */
  time = 1_000_000;
  /** Seconds; txs that expire before it are invalid. */
  target = 100n;
  readonly blocks: WorldBlock[] = [{ number: 0, hash: fr(0), timestamp: 0n, txs: [] }];
  /** By block, by payer. */
  readonly #balances: Map<string, bigint>[];

  constructor(balances: Map<string, bigint>) {
    this.#balances = [balances];
  }

  get tip(): number {
    return this.blocks.length - 1;
  }

  append(txs: TxFacts[], timestamp: bigint, balances: ReadonlyMap<string, bigint>): AddedBlock {
    const number = this.blocks.length;
    const hash = seeded(`block ${number} ${txs.map((tx) => toHex(tx.hash)).join()}`);
    this.blocks.push({ number, hash, timestamp, txs });
    this.#balances.push(new Map([...this.#balances[number - 1], ...balances]));
    return {
      number,
      hash,
      timestamp,
      txHashes: txs.map((tx) => tx.hash),
      nullifierKeys: new Set(txs.flatMap(({ nullifiers }) => nullifiers.map(mapKey))),
    };
  }

  truncate(tip: number): void {
    this.blocks.length = tip + 1;
    this.#balances.length = tip + 1;
  }

  now = (): number => this.time;

  minedIn = (hash: Uint8Array) => {
    const block = this.blocks.find(({ txs }) => txs.some((tx) => toHex(tx.hash) === toHex(hash)));
    return block && { number: block.number, hash: block.hash };
  };

  feeJuice = (payer: Uint8Array, block = this.tip): bigint => this.#balances[block].get(toHex(payer)) ?? 0n;

  hasBlock = (hash: Uint8Array, after: number): boolean =>
    this.blocks.some(({ number }) => number <= after && toHex(anchorOf(number)) === toHex(hash));

  isSpent(nullifier: Uint8Array): boolean {
    return this.blocks.some(({ txs }) => txs.some((tx) => tx.nullifiers.some((n) => toHex(n) === toHex(nullifier))));
  }

  admission = () => (tx: Pick<TxFacts, "expiration" | "nullifiers" | "anchorHash">) =>
    tx.expiration >= this.target &&
    !tx.nullifiers.some((nullifier) => this.isSpent(nullifier)) &&
    this.hasBlock(tx.anchorHash, this.tip);
}
