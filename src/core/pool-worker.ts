import { move, transferableSymbol, valueSymbol } from "../threads/in-worker.ts";
import { loadCore } from "./load-core.ts";
import { hashChain, type TileChain } from "./tile-chain.ts";

/** Runs in the threads of a CorePool; one instance of the core each. Buffers come and go by transfer. */

const core = loadCore();

export interface HashManyTask {
  inputs: Uint8Array<ArrayBuffer>;
  arity: number;
}

export function hashMany({ inputs, arity }: HashManyTask): unknown {
  return move(core.hashMany(inputs, arity));
}

/** Returns the bytes of the hashed tiles of each job. */
export function hashTiles(chain: TileChain): unknown {
  const results = hashChain(core, chain).map(({ bytes }) => bytes);
  return move({
    [transferableSymbol]: results.map(({ buffer }) => buffer),
    [valueSymbol]: results,
  });
}
