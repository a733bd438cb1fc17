import type { Core } from "../../core/core.ts";
import type { Generation } from "../../protocol/generations/generation.ts";

/** What circuits are computed with. */
export interface CircuitContext {
  readonly core: Core;
  /** Whose circuits. */
  readonly generation: Generation;
}
