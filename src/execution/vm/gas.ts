/** Amounts of both gas dimensions, each 0 to 2^32-1. */
export interface Gas {
  readonly l2: number;
  readonly da: number;
}
