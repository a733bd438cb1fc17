import { readU32, writeU32 } from "../../protocol/bytes.ts";

/** A versioned value: the block since which it holds, and its bytes. */
export interface Versioned {
  since: number;
  bytes: Uint8Array;
}

export function versionedBytes({ since, bytes }: Versioned): Uint8Array {
  const out = new Uint8Array(4 + bytes.length);
  writeU32(out, 0, since);
  out.set(bytes, 4);
  return out;
}

export function readVersioned(row: Uint8Array): Versioned {
  return { since: readU32(row, 0), bytes: row.subarray(4) };
}
