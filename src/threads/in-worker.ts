import { Piscina } from "piscina";

/** What a thread of a worker pool uses: moving buffers into its answer instead of copying them. */
export { move, transferableSymbol, valueSymbol } from "piscina";

/** `workerData` of the pool that this thread belongs to. */
export function workerData<Data>(): Data {
  return Piscina.workerData as Data;
}
