import type { Tx } from "../../protocol/tx/tx.ts";

/** Methods whose first argument is a tx that nothing else on the calling thread has. */
const TAKERS: Readonly<Record<string, string>> = { mempool: "submit", txValidator: "validate", simulator: "simulate" };

/**
 * Buffers of a client's tx that can be handed over with a call instead of being copied, twice: the public inputs and
 * the proof, unless they are a part of a larger buffer. What is left are kilobytes, some of it shared constants.
 */
export function givenTxBuffers(service: string, method: string, args: readonly unknown[]): ArrayBuffer[] {
  if (TAKERS[service] !== method) return [];
  const { data, chonkProof } = args[0] as Tx;
  return [data, chonkProof].flatMap(({ buffer, length }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [],
  );
}
