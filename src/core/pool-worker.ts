import { move, transferableSymbol, valueSymbol } from "../threads/in-worker.ts";
import { loadCore } from "./load-core.ts";
import { hashChain, type TileChain } from "./tile-chain.ts";

/** Module of a CorePool's worker threads; each has its own instance of the core. Buffers are transferred both ways. */

const core = loadCore();

export interface HashManyTask {
  inputs: Uint8Array<ArrayBuffer>;
  arity: number;
}

export function hashMany({ inputs, arity }: HashManyTask): unknown {
  return move(core.hashMany(inputs, arity));
}

/** Returns the bytes of each job's hashed tiles. */
export function hashTiles(chain: TileChain): unknown {
  const results = hashChain(core, chain).map(({ bytes }) => bytes);
  return move({
    [transferableSymbol]: results.map(({ buffer }) => buffer),
    [valueSymbol]: results,
  });
}
