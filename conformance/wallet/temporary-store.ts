/** The functions of `@aztec/kv-store/lmdb-v2` by which a wallet opens its stores; all are temporary here. */
import { AztecLmdbStore } from "@aztec/kv-store/lmdb";

const MAP_SIZE_KB = 1024 * 1024;

export function createStore(): Promise<AztecLmdbStore> {
  return openTmpStore();
}

export function openTmpStore(): Promise<AztecLmdbStore> {
  return Promise.resolve(AztecLmdbStore.open(undefined, MAP_SIZE_KB, true));
}
