import type { SignableENR } from "@chainsafe/enr";
import { equal } from "../../protocol/bytes.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";
import { NodeRecordError } from "./errors.ts";
import { type RecordContent, signedRecord } from "./node-record.ts";
import type { RecordFile } from "./record-file.ts";
import { isSound, SOUND } from "./record-rules.ts";

interface OwnRecordOptions {
  identity: PeerIdentity;
  content: RecordContent;
  /** Undefined if nothing is kept. */
  file: RecordFile | undefined;
  /** Sequence number of a first record. */
  first: bigint;
}

/**
 * The node's own record. Peers replace a known record only by one with a higher sequence number, so a record with the
 * stored content keeps its number and any other gets the next one (docs/protocol/10-peers.md#103-node-records).
 */
export class OwnRecord {
  readonly signable: SignableENR;
  readonly #file: RecordFile | undefined;

  /** Throws a NodeRecordError if the content makes no valid record. */
  constructor({ identity, content, file, first }: OwnRecordOptions) {
    this.#file = file;
    const stored = file?.read();
    const known =
      stored !== undefined && equal(stored.publicKey, identity.privateKey.publicKey.raw) ? stored : undefined;
    this.signable = signedRecord(identity, content, known?.seq ?? first);
    if (known !== undefined && !sameContent(known.kvs, this.signable.kvs)) {
      this.signable = signedRecord(identity, content, known.seq + 1n);
    }
    if (!isSound(this.signable)) throw new NodeRecordError("this node's record", SOUND);
    this.kept();
  }

  /** enr:... */
  get text(): string {
    return this.signable.encodeTxt();
  }

  /** Stores the record. Called after it changed. */
  kept(): void {
    this.#file?.write(this.signable);
  }
}

/** First sequence number of a node without a stored record: above those of its earlier runs, as time passes. */
export function firstSequence(now = Date.now()): bigint {
  return BigInt(Math.floor(now / 1000));
}

function sameContent(a: ReadonlyMap<string, Uint8Array>, b: ReadonlyMap<string, Uint8Array>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => equal(value, b.get(key) ?? Buffer.of()));
}
