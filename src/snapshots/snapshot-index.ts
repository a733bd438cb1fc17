import { JsonField } from "../json/json-field.ts";
import { unpacked } from "../storage/objects/gunzip.ts";

/** The chain of the snapshots. */
export interface SnapshotNetwork {
  l1ChainId: number;
  rollupVersion: number;
  /** Lower-case 0x text. */
  rollupAddress: string;
}

/**
 * Index entry of one snapshot (docs/protocol/09-configuration.md#914-snapshots). Names differ from the reference, since
 * the database is this program's.
 */
export interface SnapshotEntry {
  l2BlockNumber: number;
  /** 0x text. */
  l2BlockHash: string;
  checkpointNumber: number;
  /** Archive root of that checkpoint on L1, 0x text. */
  archiveRoot: string;
  /** L1 block up to which the chain was synced. */
  l1BlockNumber: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  schemaVersions: { chain: number };
  /** Object names relative to the index, so that a store can be copied or served under another URL. */
  dataUrls: { chain: string };
  chain: {
    /** Of the database file. */
    bytes: number;
    sha256: string;
    /** Of the gzipped object. */
    packedBytes: number;
  };
}

/** An index cannot be used. */
export class SnapshotIndexError extends Error {
  readonly rule: string;

  constructor(rule: string) {
    super(`the index of snapshots ${rule}`);
    this.name = "SnapshotIndexError";
    this.rule = rule;
  }
}

/** Enough for about ten thousand entries. */
export const MAX_INDEX_BYTES = 8 * 1024 * 1024;

/** Differs from the reference's folder, since its nodes would read the entries as their own. */
export function snapshotFolder({ l1ChainId, rollupVersion, rollupAddress }: SnapshotNetwork): string {
  return `svc-${l1ChainId}-${rollupVersion}-${rollupAddress}`;
}

export function indexKey(network: SnapshotNetwork): string {
  return `${snapshotFolder(network)}/index.json`;
}

/** Name of a database object: `chain-<YYYYMMDDHHMMSS, UTC>-<block hash>.db`. */
export function databaseName(at: Date, l2BlockHash: string): string {
  return `chain-${at.toISOString().replace(/\D/g, "").slice(0, 14)}-${l2BlockHash}.db`;
}

/** The entries. */
function parseDocument(bytes: Uint8Array, network: SnapshotNetwork): JsonField[] {
  let text: string;
  try {
    text = Buffer.from(unpacked(bytes, MAX_INDEX_BYTES)).toString("utf8");
  } catch {
    throw new SnapshotIndexError(`must be JSON, plain or gzipped, of at most ${MAX_INDEX_BYTES} bytes`);
  }
  const document = JsonField.parse(text, "", ({ field }, rule) => {
    throw new SnapshotIndexError(field === "" ? rule : `has ${field}, which ${rule}`);
  });
  document.object();
  const [l1ChainId, rollupVersion, rollupAddress] = ["l1ChainId", "rollupVersion", "rollupAddress"].map(
    (name) => document.key(name).value,
  );
  const address = typeof rollupAddress === "string" ? rollupAddress.toLowerCase() : rollupAddress;
  for (const [name, found] of Object.entries({ l1ChainId, rollupVersion, rollupAddress: address })) {
    const expected = network[name as keyof SnapshotNetwork];
    if (found !== expected) {
      throw new SnapshotIndexError(`has ${name} ${String(found).slice(0, 66)}, this node follows ${expected}`);
    }
  }
  return document.key("snapshots").items();
}

/** A plain file name, so that it cannot lead out of the folder or to another server. */
const NAME = /^[\w-][\w.-]{0,199}$/;

/** Members that describe a packed database. */
export function readPacked(json: JsonField): SnapshotEntry["chain"] {
  return {
    bytes: json.key("bytes").whole(),
    sha256: json.key("sha256").text(/^[0-9a-f]{64}$/, "must be 64 hex digits"),
    packedBytes: json.key("packedBytes").whole(),
  };
}

function readEntry(json: JsonField): SnapshotEntry {
  return {
    l2BlockNumber: json.key("l2BlockNumber").whole(),
    l2BlockHash: json.key("l2BlockHash").hex(32),
    checkpointNumber: json.key("checkpointNumber").whole(),
    archiveRoot: json.key("archiveRoot").hex(32),
    l1BlockNumber: json.key("l1BlockNumber").whole(),
    timestamp: json.key("timestamp").whole(),
    schemaVersions: { chain: json.key("schemaVersions").key("chain").whole() },
    dataUrls: {
      chain: json.key("dataUrls").key("chain").text(NAME, "must be the name of an object beside the index"),
    },
    chain: readPacked(json.key("chain")),
  };
}

interface SnapshotIndex {
  /** In their order. */
  entries: SnapshotEntry[];
  /** Invalid entries by position, counted from 0. */
  refused: { position: number; rule: string }[];
}

/**
 * Reads an index. Throws SnapshotIndexError if it is invalid or of another chain. Invalid entries are reported in
 * `refused`.
 */
export function parseIndex(bytes: Uint8Array, network: SnapshotNetwork): SnapshotIndex {
  const index: SnapshotIndex = { entries: [], refused: [] };
  parseDocument(bytes, network).forEach(({ value }, position) => {
    const broken: string[] = [];
    const read = readEntry(new JsonField(value, "", ({ field }, rule) => broken.push(`${field} ${rule}`)));
    if (broken.length === 0) index.entries.push(read);
    else index.refused.push({ position, rule: broken[0] });
  });
  return index;
}

/**
 * Adds an entry at the front of an index and keeps the rest unchanged. `before` is the old index, if there is one.
 * Throws SnapshotIndexError if the old index is invalid or of another chain.
 */
export function withEntry(before: Uint8Array | undefined, network: SnapshotNetwork, entry: SnapshotEntry): Uint8Array {
  const snapshots: unknown[] = before === undefined ? [] : parseDocument(before, network).map(({ value }) => value);
  const { l1ChainId, rollupVersion, rollupAddress } = network;
  const document = { l1ChainId, rollupVersion, rollupAddress, snapshots: [entry, ...snapshots] };
  return Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
}
