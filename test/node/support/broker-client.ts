import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { simulatedProof } from "../../../src/prover/circuits/simulated-proof.ts";
import { verificationKeyOf } from "../../../src/prover/circuits/verification-keys.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import { encodeOutput, outputForm } from "../../../src/prover/jobs/job-output.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";

export interface Handed {
  job: { id: string; type: number; epochNumber: number; inputsUri: string };
  time: number;
}

/** Asks a broker as the reference's clients do: every request is an array of calls. */
export class BrokerClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #from: string | undefined;

  /** `from` is the address of loopback from which it calls. */
  constructor(port: number, headers: Record<string, string> = {}, from?: string) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#headers = headers;
    this.#from = from;
  }

  async post(calls: readonly [method: string, ...params: unknown[]][], { gzip = false } = {}): Promise<Response> {
    const batch = calls.map(([method, ...params], id) => ({
      jsonrpc: "2.0",
      id,
      method: `proverBroker_${method}`,
      params,
    }));
    const body = Buffer.from(JSON.stringify(batch));
    const headers: Record<string, string> = { "content-type": "application/json", ...this.#headers };
    if (gzip) headers["content-encoding"] = "gzip";
    if (this.#from !== undefined) return this.#postFrom(this.#from, body, headers);
    return fetch(this.#url, {
      method: "POST",
      headers,
      body: gzip ? gzipSync(body) : body,
    });
  }

  #postFrom(localAddress: string, body: Buffer, headers: Record<string, string>): Promise<Response> {
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method: "POST", localAddress, agent: false, headers }, (answer) =>
        buffer(answer).then((bytes) => resolve(new Response(bytes, { status: answer.statusCode })), reject),
      );
      sent.on("error", reject).end(body);
    });
  }

  /** Results of several calls in one request; errors as their messages. */
  async batch(...calls: [method: string, ...params: unknown[]][]): Promise<unknown[]> {
    const answers = (await (await this.post(calls)).json()) as { result?: unknown; error?: { message: string } }[];
    return answers.map(({ result, error }) => error?.message ?? result ?? undefined);
  }

  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const [result] = await this.batch([method, ...params]);
    return result;
  }

  enqueue(id: string, inputsUri: string, { type = 16, epochNumber = 1 } = {}): Promise<unknown> {
    return this.call("enqueueProvingJob", { id, type, epochNumber, inputsUri });
  }

  next(allowList: number[] = []): Promise<Handed | undefined> {
    return this.call("getProvingJob", { allowList }) as Promise<Handed | undefined>;
  }

  /** Takes no next job: those of the tests are not of type 0. */
  succeed(id: string, outputUri: string): Promise<unknown> {
    return this.call("reportProvingJobSuccess", id, outputUri, { allowList: [0] });
  }

  status(id: string): Promise<unknown> {
    return this.call("getProvingJobStatus", id);
  }
}

/** URI of an inline output of a parity circuit; `mark` tells it from others. */
export function parityOutput(name: "PARITY_BASE" | "PARITY_ROOT", mark = ""): string {
  // No field begins with a byte of the mark, so that all are below the modulus.
  const root = Buffer.concat([Buffer.alloc(1), Buffer.alloc(31, mark)]);
  const output = encodeOutput(V4, name, {
    publicInputs: { shaRoot: root, convertedRoot: root, vkTreeRoot: root, proverId: undefined },
    proof: simulatedProof(name, outputForm(V4, name).proofFields),
    verificationKey: verificationKeyOf(V4, name).key,
  });
  return inlineUriOf(outputJson(JOB_TYPES[name], output));
}
