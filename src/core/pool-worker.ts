import { move } from "piscina";
import { loadCore } from "./load-core.ts";
import type { TileJob } from "./tile-job.ts";

/** Runs in the threads of a CorePool; one instance of the core each. Buffers come and go by transfer. */

const core = loadCore();

export interface HashManyTask {
  inputs: Uint8Array<ArrayBuffer>;
  arity: number;
}

export function hashMany({ inputs, arity }: HashManyTask): unknown {
  return move(core.hashMany(inputs, arity));
}

/** Returns the bytes of the hashed tiles. */
export function hashTiles(job: TileJob): unknown {
  return move(core.hashTiles(job).bytes);
}
