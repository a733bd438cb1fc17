import { gunzipSync } from "node:zlib";
import { DecodeError } from "../../protocol/errors.ts";
import type { ObjectStore } from "../../storage/objects/object-store.ts";
import { isInlineUri, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import { parseJobId } from "../jobs/job-id.ts";
import type { JobResult, StoredInput, StoredOutput } from "../jobs/job-result.ts";
import { isJobTypeName, JOB_TYPES, type JobType, nameOfJobType } from "../jobs/job-type.ts";
import { outputFromJson, outputJson } from "../jobs/stored-json.ts";
import { ProofStoreError } from "./errors.ts";
import type { AgentProofStore, ProducerProofStore } from "./proof-store.ts";

/** Largest stored input or output; the largest of the protocol are below 2 MiB. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/** Holds inputs and outputs as objects: `inputs/<TYPE>/<id>` and `outputs/<TYPE>/<id>.json` below a root. */
export class ObjectProofStore implements AgentProofStore, ProducerProofStore {
  readonly #objects: ObjectStore;
  /** URI of the root, without a final slash and without parameters. */
  readonly #root: string;

  constructor(root: string, objects: ObjectStore) {
    const url = new URL(root);
    this.#root = `${url.protocol}//${url.host}${url.pathname}`.replace(/\/+$/, "");
    this.#objects = objects;
  }

  async saveInput(jobId: string, type: JobType, input: Uint8Array, signal: AbortSignal): Promise<string> {
    const key = `inputs/${nameOfJobType(type)}/${safeId(jobId)}`;
    await this.#objects.put(key, input, { signal });
    return `${this.#root}/${key}`;
  }

  async loadInput(uri: string, signal: AbortSignal): Promise<StoredInput> {
    const key = this.#keyOf(uri);
    const [, name] = /^inputs\/([A-Z_]+)\/[A-Za-z0-9:_]+$/.exec(key) ?? [];
    if (name === undefined || !isJobTypeName(name)) {
      throw new DecodeError("inputsUri", "must be inputs/<TYPE>/<id> below the proof store");
    }
    return { type: JOB_TYPES[name], input: await this.#stored("stored input", key, signal) };
  }

  async saveOutput(jobId: string, type: JobType, result: JobResult, signal: AbortSignal): Promise<string> {
    const key = `outputs/${nameOfJobType(type)}/${safeId(jobId)}.json`;
    await this.#objects.put(key, Buffer.from(outputJson(type, result)), { contentType: "application/json", signal });
    return `${this.#root}/${key}`;
  }

  async loadOutput(uri: string, signal: AbortSignal): Promise<StoredOutput> {
    // An agent without the prover node's store puts its output into the URI.
    if (isInlineUri(uri)) return outputFromJson("output", jsonOfInlineUri("output", uri));
    const key = this.#keyOf(uri);
    if (!/^outputs\/[A-Z_]+\/[A-Za-z0-9:_]+\.json$/.test(key)) {
      throw new DecodeError("output", "must be outputs/<TYPE>/<id>.json below the proof store");
    }
    const bytes = await this.#stored("stored output", key, signal);
    return outputFromJson("stored output", Buffer.from(bytes).toString());
  }

  async #stored(subject: string, key: string, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#objects.get(key, { signal, maxBytes: MAX_STORED_BYTES });
    if (bytes === undefined) throw new ProofStoreError(`the proof store has no ${key}`);
    return unzipped(subject, bytes);
  }

  /** Throws a ProofStoreError for a URI outside the root. */
  #keyOf(uri: string): string {
    const key = uri.startsWith(`${this.#root}/`) ? uri.slice(this.#root.length + 1) : undefined;
    if (key === undefined) {
      throw new ProofStoreError(
        "the URI is of another proof store than this process uses; PROVER_PROOF_STORE must be equal everywhere",
      );
    }
    return key;
  }
}

/** The id becomes part of a path. */
function safeId(jobId: string): string {
  if (parseJobId(jobId) === undefined) throw new DecodeError("job.id", "must be <epoch>:<TYPE>:<SHA-256>");
  return jobId;
}

function unzipped(subject: string, bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_STORED_BYTES });
  } catch (error) {
    throw new DecodeError(subject, `must be gzip of at most ${MAX_STORED_BYTES} bytes`, { cause: error });
  }
}
