/**
 * Poseidon2 of the reference's library on one thread, as WebAssembly and as native code.
 *
 *   core-poseidon2.mjs [WINDOWS]
 *
 * The last line of output is JSON: for each backend the microseconds of one pair hash, with a call for each, and of one
 * permutation within a call that hashes many fields, which nearly excludes the cost of calls; the least and the middle
 * of the windows. The native backend runs in a separate process behind shared memory and offers no call for many
 * hashes, so the permutations within one call are its best figure.
 */
import { BackendType, BarretenbergSync } from "@aztec/bb.js";

const WINDOWS = Number(process.argv[2] ?? 1000);
const PERMUTATIONS = 64;

const field = (seed) => new Uint8Array(32).map((_, i) => (i === 0 ? 0 : (seed * 31 + i * 7) & 255));
const fields = (count) => Array.from({ length: count }, (_, i) => field(i));

/** Microseconds per item of a run over `items` items. */
function measure(items, run) {
  const times = Array.from({ length: WINDOWS }, () => {
    const start = performance.now();
    run();
    return ((performance.now() - start) * 1000) / items;
  }).sort((a, b) => a - b);
  return { least: times[0], middle: times[WINDOWS >> 1] };
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");

async function measureBackend(backend) {
  const api = await BarretenbergSync.new({ backend, threads: 1 });
  const pair = fields(2);
  const many = fields(3 * PERMUTATIONS);
  const hash = (inputs) => api.poseidon2Hash({ inputs });
  for (let i = 0; i < 200; i++) hash(many);
  const one = measure(32, () => {
    for (let i = 0; i < 32; i++) hash(pair);
  });
  const result = {
    pair: one,
    permutation: measure(PERMUTATIONS, () => hash(many)),
    pairHash: hex(hash(pair).hash),
  };
  api.destroy?.();
  return result;
}

const wasm = await measureBackend(BackendType.Wasm);
const native = await measureBackend(BackendType.NativeSharedMemory);
console.log(JSON.stringify({ pairInput: hex(Buffer.concat(fields(2))), wasm, native }));
process.exit(0);
