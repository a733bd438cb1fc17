import { gunzipSync } from "node:zlib";
import { OperatorError } from "../../errors/operator-error.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { ObjectStore } from "../../storage/objects/object-store.ts";
import { parseJobId } from "../jobs/job-id.ts";
import type { JobResult, StoredInput } from "../jobs/job-result.ts";
import { isJobTypeName, JOB_TYPES, type JobType, nameOfJobType } from "../jobs/job-type.ts";
import { outputJson } from "../jobs/stored-json.ts";
import type { AgentProofStore } from "./proof-store.ts";

/** Largest stored input; the largest of the protocol are below 2 MiB. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** An input is not where its URI says, or in another store than this process uses. */
export class ProofStoreError extends OperatorError {
  override readonly errorCode: string = "proof-store";

  constructor(rule: string) {
    super(rule);
    this.name = "ProofStoreError";
  }
}

/** Holds inputs and outputs as objects: `inputs/<TYPE>/<id>` and `outputs/<TYPE>/<id>.json` below a root. */
export class ObjectProofStore implements AgentProofStore {
  readonly #objects: ObjectStore;
  /** URI of the root, without a final slash and without parameters. */
  readonly #root: string;

  constructor(root: string, objects: ObjectStore) {
    const url = new URL(root);
    this.#root = `${url.protocol}//${url.host}${url.pathname}`.replace(/\/+$/, "");
    this.#objects = objects;
  }

  async loadInput(uri: string, signal: AbortSignal): Promise<StoredInput> {
    const key = this.#keyOf(uri);
    const [folder, name] = key.split("/");
    if (folder !== "inputs" || name === undefined || !isJobTypeName(name)) {
      throw new DecodeError("inputsUri", "must be inputs/<TYPE>/<id> below the proof store");
    }
    const stored = await this.#objects.get(key, { signal, maxBytes: MAX_INPUT_BYTES });
    if (stored === undefined) throw new ProofStoreError(`the proof store has no ${key}`);
    return { type: JOB_TYPES[name], input: unzipped(stored) };
  }

  async saveOutput(jobId: string, type: JobType, result: JobResult, signal: AbortSignal): Promise<string> {
    // The id becomes part of a path.
    if (parseJobId(jobId) === undefined) throw new DecodeError("job.id", "must be <epoch>:<TYPE>:<SHA-256>");
    const key = `outputs/${nameOfJobType(type)}/${jobId}.json`;
    await this.#objects.put(key, Buffer.from(outputJson(type, result)), { contentType: "application/json", signal });
    return `${this.#root}/${key}`;
  }

  /** Throws a ProofStoreError for a URI outside the root. */
  #keyOf(uri: string): string {
    const key = uri.startsWith(`${this.#root}/`) ? uri.slice(this.#root.length + 1) : undefined;
    if (key === undefined || key.split("/").includes("..")) {
      throw new ProofStoreError(
        "the input is in another proof store than this agent's; PROVER_PROOF_STORE must be equal",
      );
    }
    return key;
  }
}

function unzipped(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INPUT_BYTES });
  } catch (error) {
    throw new DecodeError("stored input", `must be gzip of at most ${MAX_INPUT_BYTES} bytes`, { cause: error });
  }
}
