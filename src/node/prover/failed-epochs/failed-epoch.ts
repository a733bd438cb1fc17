import { OperatorError } from "../../../errors/operator-error.ts";
import { JsonField } from "../../../json/json-field.ts";
import { readPacked, type SnapshotNetwork, snapshotFolder } from "../../../snapshots/snapshot-index.ts";

/**
 * What is stored of an epoch that could not be proven, below `svc-<L1 chain>-<rollup version>-<rollup address>/` in
 *
 *     <epoch>-<YYYYMMDDHHMMSS, UTC>-<uuid>/chain.db        gzip: a copy of the chain store
 *                                          txs.bin         gzip: the epoch's transactions (txToBytes), one after
 * another
 *                                          metadata.json   FailedEpoch; written last
 *
 * The reference's folders (docs/protocol/13-proving.md#1310-prover-node) have the databases of its own node.
 */
export interface FailedEpoch extends SnapshotNetwork {
  readonly version: 1;
  readonly epoch: number;
  /** Why it could not be proven. */
  readonly reason: string;
  /** ISO 8601. */
  readonly failedAt: string;
  /** 0x text of 20 bytes. */
  readonly proverId: string;
  readonly epochDuration: number;
  readonly genesis: {
    readonly archiveRoot: string;
    /** Slot and value of each leaf in public data, 0x text. */
    readonly publicData: readonly (readonly [slot: string, value: string])[];
  };
  /** Those that were to be proven, in order. */
  readonly checkpoints: readonly FailedCheckpoint[];
  readonly chain: { readonly bytes: number; readonly sha256: string; readonly packedBytes: number };
  readonly txs: { readonly count: number; readonly bytes: number; readonly packedBytes: number };
}

export interface FailedCheckpoint {
  readonly number: number;
  /** 0x text. */
  readonly archiveRoot: string;
  /** KZG commitments of its blobs, 0x text of 48 bytes each. */
  readonly commitments: readonly string[];
}

export const METADATA = "metadata.json";
export const CHAIN = "chain.db";
export const TXS = "txs.bin";
export const MAX_METADATA_BYTES = 16 * 1024 * 1024;

/** A stored epoch cannot be proven again. */
export class FailedEpochError extends OperatorError {
  override readonly errorCode: string = "failed-epoch";

  constructor(rule: string, options?: ErrorOptions) {
    super(`the stored epoch ${rule}`, options);
    this.name = "FailedEpochError";
  }
}

export function failedEpochFolder(network: SnapshotNetwork, epoch: number, at: Date, id: string): string {
  return `${snapshotFolder(network)}/${epoch}-${at.toISOString().replace(/\D/g, "").slice(0, 14)}-${id}`;
}

function readNetwork(json: JsonField): SnapshotNetwork {
  return {
    l1ChainId: json.key("l1ChainId").whole(),
    rollupVersion: json.key("rollupVersion").whole(),
    rollupAddress: json.key("rollupAddress").hex(20),
  };
}

function readLeaf(json: JsonField): readonly [slot: string, value: string] {
  const words = json.items();
  if (words.length !== 2) json.broken("must be a slot and a value");
  return [words[0].hex(32), words[1].hex(32)];
}

function readCheckpoint(json: JsonField): FailedCheckpoint {
  return {
    number: json.key("number").whole(),
    archiveRoot: json.key("archiveRoot").hex(32),
    commitments: json
      .key("commitments")
      .items()
      .map((commitment) => commitment.hex(48)),
  };
}

/** Reads `metadata.json`. Throws a FailedEpochError that names the first member that breaks a rule. */
export function parseFailedEpoch(bytes: Uint8Array): FailedEpoch {
  const json = JsonField.parse(Buffer.from(bytes).toString(), METADATA, ({ source, field }, rule) => {
    throw new FailedEpochError(`has a ${source} in which ${field || "the document"} ${rule}`);
  });
  const [genesis, txs] = [json.key("genesis"), json.key("txs")];
  const checkpoints = json.key("checkpoints").items();
  if (checkpoints.length === 0) json.key("checkpoints").broken("must not be empty");
  return {
    version: json.key("version").value === 1 ? 1 : json.key("version").broken("must be 1"),
    ...readNetwork(json),
    epoch: json.key("epoch").whole(),
    reason: json.key("reason").text(),
    failedAt: json.key("failedAt").text(),
    proverId: json.key("proverId").hex(20),
    epochDuration: json.key("epochDuration").whole(1),
    genesis: {
      archiveRoot: genesis.key("archiveRoot").hex(32),
      publicData: genesis.key("publicData").items().map(readLeaf),
    },
    checkpoints: checkpoints.map(readCheckpoint),
    chain: readPacked(json.key("chain")),
    txs: {
      count: txs.key("count").whole(),
      bytes: txs.key("bytes").whole(),
      packedBytes: txs.key("packedBytes").whole(),
    },
  };
}
