import type { ResultCache } from "../cache/result-cache.ts";
import type { JsonWriter } from "../codecs/json/json-writer.ts";
import type { BatchCalls } from "./batch-calls.ts";
import type { CallCounts } from "./call-counts.ts";
import { MAX_KEY_LENGTH } from "./calls.ts";
import { EnvelopeScan } from "./envelope-scan.ts";
import type { MethodTable, WireMethod } from "./method-table.ts";
import { latin1 } from "./request-text.ts";
import { closeWithRaw, countAnswered, openAnswer, SENT_IN_PARTS, startCounted } from "./scanned-calls.ts";

/** What is kept of a call: offsets in the body. */
const FROM = 0;
const TO = 1;
const ID_FROM = 2;
const ID_TO = 3;
const PARAMS_FROM = 4;
const PARAMS_TO = 5;
const OFFSETS = 6;
/** Shortest call that is scanned, with the comma before it. */
const MIN_CALL_BYTES = ',{"method":"12345678"}'.length;

const scan = new EnvelopeScan();

interface ScannedBatchOptions {
  maxBatchSize: number;
  results?: ResultCache;
  counts?: CallCounts;
}

/**
 * The calls of a batch in which all have the usual form, answered from the bytes of the batch where that is possible.
 */
export class ScannedBatch implements BatchCalls {
  readonly #options: ScannedBatchOptions;
  readonly #table: MethodTable;
  readonly #methods: (WireMethod | undefined)[] = [];
  readonly #offsets: Int32Array;
  #body: Uint8Array;

  /** Undefined for a body that is no such batch, and for a batch that is too large. */
  static of(body: Uint8Array, table: MethodTable, options: ScannedBatchOptions): ScannedBatch | undefined {
    const batch = new ScannedBatch(body, table, options);
    return scan.scanBatch(body, () => batch.#add()) ? batch : undefined;
  }

  private constructor(body: Uint8Array, table: MethodTable, options: ScannedBatchOptions) {
    this.#table = table;
    this.#body = body;
    this.#options = options;
    this.#offsets = new Int32Array(OFFSETS * Math.min(options.maxBatchSize, Math.ceil(body.length / MIN_CALL_BYTES)));
  }

  #add(): boolean {
    const at = OFFSETS * this.length;
    const offsets = this.#offsets;
    if (at === offsets.length) return false;
    offsets[at + FROM] = scan.from;
    offsets[at + TO] = scan.to;
    offsets[at + ID_FROM] = scan.idFrom;
    offsets[at + ID_TO] = scan.idTo;
    offsets[at + PARAMS_FROM] = scan.paramsFrom;
    offsets[at + PARAMS_TO] = scan.paramsTo;
    this.#methods.push(this.#table.named(latin1(this.#body, scan.methodFrom, scan.methodTo)));
    return true;
  }

  get length(): number {
    return this.#methods.length;
  }

  write(call: number, out: JsonWriter): boolean {
    const method = this.#methods[call];
    if (method === undefined) return false;
    const { results, counts } = this.#options;
    const started = startCounted(counts, method.counted);
    const body = this.#body;
    const at = OFFSETS * call;
    const offsets = this.#offsets;
    const paramsFrom = offsets[at + PARAMS_FROM];
    const paramsTo = offsets[at + PARAMS_TO];
    openAnswer(out, body, offsets[at + ID_FROM], offsets[at + ID_TO]);
    if (method.raw !== undefined) {
      if (!closeWithRaw(method.raw, body, paramsFrom, paramsTo, out)) return false;
    } else {
      if (results === undefined || method.results === undefined || paramsTo - paramsFrom > MAX_KEY_LENGTH) return false;
      const key = paramsTo - paramsFrom <= 2 ? "[]" : latin1(body, paramsFrom, paramsTo);
      const end = results.get(method.results, key);
      if (end === undefined || end.length >= SENT_IN_PARTS) return false;
      out.bytes(end);
    }
    countAnswered(counts, method.counted, started);
    return true;
  }

  item(call: number): unknown {
    const at = OFFSETS * call;
    return JSON.parse(latin1(this.#body, this.#offsets[at + FROM], this.#offsets[at + TO]));
  }

  isNotification(call: number): boolean {
    return this.#offsets[OFFSETS * call + ID_TO] === 0;
  }

  keep(): void {
    this.#body = new Uint8Array(this.#body);
  }
}
