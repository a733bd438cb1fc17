import { move } from "piscina";
import { loadCore } from "./load-core.ts";

/** Runs in the threads of a CorePool; one instance of the core each. Buffers come and go by transfer. */

const core = loadCore();

export interface HashManyTask {
  inputs: Uint8Array<ArrayBuffer>;
  arity: number;
}

export interface RehashTilesTask {
  /** Tiles of 2^(height+1) words, back to back. */
  tiles: Uint8Array<ArrayBuffer>;
  dirty: Uint32Array<ArrayBuffer>;
  height: number;
}

export function hashMany({ inputs, arity }: HashManyTask): unknown {
  return move(core.hashMany(inputs, arity));
}

/** Returns the tiles of the task, inner nodes recomputed. */
export function rehashTiles({ tiles, dirty, height }: RehashTilesTask): unknown {
  const tileBytes = 64 << height;
  const views = Array.from(dirty, (_, i) => tiles.subarray(i * tileBytes, (i + 1) * tileBytes));
  core.rehashTiles(views, dirty, height);
  return move(tiles);
}
