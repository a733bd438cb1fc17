import type { ProposeDecoder } from "./decoder.ts";
import { isProposeCall } from "./propose-call.ts";

/** The transaction calls the rollup directly. */
export const directDecoder: ProposeDecoder = {
  name: "direct call",
  candidates: ({ to, input }, { rollupAddress, generation }) =>
    to === rollupAddress && isProposeCall(input, generation) ? [input] : [],
};
