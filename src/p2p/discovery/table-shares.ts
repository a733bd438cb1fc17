import type { ENR, NodeId } from "@chainsafe/enr";
import { isPrivate } from "./address-kinds.ts";

/** Nodes of one /24 network in the whole routing table, and in one bucket of 16. */
const MAX_IN_TABLE = 10;
const MAX_IN_BUCKET = 2;

export interface TableSharesOptions {
  /** Whether private and loopback addresses count too. Default false: networks for tests have one address. */
  countPrivate?: boolean;
}

/**
 * Limits what one operator of many node ids can take of the routing table: ids are free, addresses of many networks are
 * not. Known nodes keep their places.
 */
export class TableShares {
  readonly #countPrivate: boolean;

  constructor({ countPrivate = false }: TableSharesOptions = {}) {
    this.#countPrivate = countPrivate;
  }

  /** Whether a record that is not in the table may join `members`. `bucketOf` numbers the bucket of a node id. */
  admits(record: ENR, members: readonly ENR[], bucketOf: (id: NodeId) => number): boolean {
    const ip = record.kvs.get("ip");
    if (ip === undefined || (isPrivate(ip) && !this.#countPrivate)) return true;
    const bucket = bucketOf(record.nodeId);
    let inTable = 0;
    let inBucket = 0;
    for (const member of members) {
      if (!sameNetwork(ip, member.kvs.get("ip"))) continue;
      inTable++;
      if (bucketOf(member.nodeId) === bucket) inBucket++;
    }
    return inTable < MAX_IN_TABLE && inBucket < MAX_IN_BUCKET;
  }
}

function sameNetwork(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}
