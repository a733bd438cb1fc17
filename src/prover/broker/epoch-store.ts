import { existsSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../errors/operator-error.ts";
import { inspectStore } from "../../storage/inspect.ts";
import { openStore, type Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { isJobType } from "../jobs/job-type.ts";
import type { BrokerJob, Settlement } from "./job.ts";

/** Version of the tables and rows below. */
const SCHEMA_VERSION = "2";

/** A store of jobs has another form than this program reads. */
class BrokerSchemaError extends OperatorError {
  override readonly errorCode: string = "broker-schema";

  readonly path: string;
  readonly found: string;

  constructor(path: string, found: string) {
    super(
      `the broker's store ${path} has schema version ${found.slice(0, 20)}, this program reads version ` +
        `${SCHEMA_VERSION}. Name another data directory, or remove this store`,
    );
    this.name = "BrokerSchemaError";
    this.path = path;
    this.found = found;
  }
}

/** A row of a store of jobs breaks a rule of docs/store-format.md. */
class JobRowError extends Error {
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string) {
    super(`the broker's store ${path} has a row that cannot be read: ${rule}`);
    this.name = "JobRowError";
    this.path = path;
    this.rule = rule;
  }
}

/** A job as it is found at a start. */
export interface StoredJob {
  readonly id: string;
  readonly type: number;
  readonly epochNumber: number;
  readonly sequence: number;
  readonly failures: number;
  readonly settled: Settlement | undefined;
}

/** A job's row: u8 type | u32 failures | u64 sequence. */
const JOB_BYTES = 13;
/** First byte of a result; the JSON literal of the output's URI or of the reason follows. */
const FULFILLED = 0;
const REJECTED = 1;

/**
 * Jobs, inputs and results of one epoch: an LMDB environment of its own, so that removing an epoch gives its disk space
 * back (docs/store-format.md#stores-of-the-broker). Methods that write are called in `transaction`.
 */
export class EpochStore {
  readonly epochNumber: number;
  readonly path: string;
  readonly #store: Store;
  readonly #jobs: Table;
  readonly #inputs: Table;
  readonly #results: Table;

  /** Throws StoreFullError, StoreCorruptedError, DamagedStoreError or BrokerSchemaError. */
  constructor(folder: string, epochNumber: number, mapSizeKb: number | undefined) {
    this.epochNumber = epochNumber;
    this.path = join(folder, String(epochNumber));
    if (existsSync(this.path)) inspectStore(this.path);
    this.#store = openStore({ path: this.path, mapSizeKb, compressed: true });
    this.#claim();
    this.#jobs = this.#store.table("jobs");
    this.#inputs = this.#store.table("inputs");
    this.#results = this.#store.table("results");
  }

  #claim(): void {
    const schema = this.#store.table("broker_schema");
    const key = Buffer.from("version");
    const found = schema.get(key);
    const version = found === undefined ? undefined : Buffer.from(found).toString();
    if (version === undefined) this.#store.transaction(() => schema.put(key, Buffer.from(SCHEMA_VERSION)));
    else if (version !== SCHEMA_VERSION) throw new BrokerSchemaError(this.path, version);
  }

  transaction(work: () => void): void {
    this.#store.transaction(work);
  }

  putJob(job: Omit<BrokerJob, "inputsUri">, { sequence, failures }: Pick<StoredJob, "sequence" | "failures">): void {
    const row = Buffer.alloc(JOB_BYTES);
    row.writeUInt8(job.type, 0);
    row.writeUInt32BE(failures, 1);
    row.writeBigUInt64BE(BigInt(sequence), 5);
    this.#jobs.put(Buffer.from(job.id), row);
  }

  putInput(id: string, uri: Uint8Array): void {
    this.#inputs.put(Buffer.from(id), uri);
  }

  putResult(id: string, { status, text }: SettledJob): void {
    const row = Buffer.allocUnsafe(1 + text.length);
    row[0] = status === "fulfilled" ? FULFILLED : REJECTED;
    row.set(text, 1);
    this.#results.put(Buffer.from(id), row);
  }

  removeResult(id: string): void {
    this.#results.remove(Buffer.from(id));
  }

  input(id: string): Uint8Array {
    const uri = this.#inputs.get(Buffer.from(id));
    if (uri === undefined) throw new JobRowError(this.path, `job ${id} has no input`);
    return uri;
  }

  hasInput(id: string, uri: Uint8Array): boolean {
    const stored = this.#inputs.borrow(Buffer.from(id));
    return stored !== undefined && Buffer.compare(stored, uri) === 0;
  }

  resultText(id: string): Uint8Array {
    const row = this.#results.get(Buffer.from(id));
    if (row === undefined) throw new JobRowError(this.path, `job ${id} has no result`);
    return row.subarray(1);
  }

  *all(): Iterable<StoredJob> {
    const settled = new Map<string, number>();
    for (const { key, value } of this.#results.scan({})) settled.set(Buffer.from(key).toString(), value[0]);
    for (const { key, value } of this.#jobs.range({})) {
      const id = Buffer.from(key).toString();
      const row = Buffer.from(value);
      if (row.length !== JOB_BYTES || !isJobType(row[0])) throw new JobRowError(this.path, `job ${id}`);
      const ended = settled.get(id);
      yield {
        id,
        type: row.readUInt8(0),
        epochNumber: this.epochNumber,
        failures: row.readUInt32BE(1),
        sequence: Number(row.readBigUInt64BE(5)),
        settled: ended === undefined ? undefined : ended === FULFILLED ? "fulfilled" : "rejected",
      };
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

export interface SettledJob {
  readonly status: Settlement;
  /** JSON literal of the output's URI or of the reason. */
  readonly text: Uint8Array;
}
