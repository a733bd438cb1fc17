import type { RootDatabase } from "lmdb";
import { lastTransaction } from "./foreign-commits.ts";

/** A thread with a snapshot of a store. */
export interface StoreReader {
  pid: number;
  /** Identifies the thread within the process. */
  thread: string;
  /** Commits since its snapshot was taken. LMDB uses none of the pages again that these commits gave up. */
  behind: number;
}

/** One line of mdb_reader_list: process id, thread, and the transaction of the snapshot or a dash. */
const READER = /^\s*(\d+)\s+([0-9a-f]+)\s+(\d+)\s*$/;

/** The threads that have a snapshot now, in the order of LMDB's table. */
export function storeReaders(root: RootDatabase<Buffer, Buffer>): StoreReader[] {
  const last = lastTransaction(root);
  return root
    .readerList()
    .split("\n")
    .flatMap((line) => {
      const [, pid, thread, transaction] = READER.exec(line) ?? [];
      if (pid === undefined) return [];
      return [{ pid: Number(pid), thread, behind: Math.max(0, last - Number(transaction)) }];
    });
}
