import { Piscina } from "piscina";

/** For threads of a worker pool: transfers buffers in results instead of copying them. */
export { move, transferableSymbol, valueSymbol } from "piscina";

/** `workerData` of the pool that this thread belongs to. */
export function workerData<Data>(): Data {
  return Piscina.workerData as Data;
}
