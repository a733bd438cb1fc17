import { hashWords } from "../poseidon2/sponge";
import { storeModulus } from "./arithmetic";
import { deriveLaneConstants } from "./constants";
import { hashTwo } from "./sponge";
import { deriveLaneFactors } from "./words";

/** 1 when the lanes may be used. */
const EXACT = memory.data(4, 4);
const PAIR = memory.data(64, 8);
const RESULTS = memory.data(96, 8);

/**
 * Derives the tables of the lanes and finds out whether they compute exactly: a relaxed multiply-add is fused on processors that
 * can, and elsewhere rounds twice, which no hash survives.
 */
export function prepareLanes(): void {
  storeModulus();
  deriveLaneFactors();
  deriveLaneConstants();
  hashWords(RESULTS, PAIR, 2);
  hashTwo(RESULTS + 32, RESULTS + 64, PAIR, PAIR, 2);
  const left = memory.compare(RESULTS, RESULTS + 32, 32) == 0;
  const right = memory.compare(RESULTS, RESULTS + 64, 32) == 0;
  store<u32>(EXACT, u32(left && right));
}

@inline
export function lanesAreExact(): bool {
  return load<u32>(EXACT) != 0;
}
