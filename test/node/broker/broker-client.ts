import { gzipSync } from "node:zlib";

export interface Handed {
  job: { id: string; type: number; epochNumber: number; inputsUri: string };
  time: number;
}

/** Asks a broker as the reference's clients do: every request is an array of calls. */
export class BrokerClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(port: number, headers: Record<string, string> = {}) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#headers = headers;
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
    return fetch(this.#url, {
      method: "POST",
      headers,
      body: gzip ? gzipSync(body) : body,
    });
  }

  /** Results of several calls in one request; errors as their messages. */
  async batch(...calls: [method: string, ...params: unknown[]][]): Promise<unknown[]> {
    const answers = (await (await this.post(calls)).json()) as { result?: unknown; error?: { message: string } }[];
    return answers.map(({ result, error }) => error?.message ?? result);
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

/** URI of an inline output of a type; `mark` tells it from others. */
export function inlineOutput(type: number, publicInputBytes: number, mark = ""): string {
  const inputs = Buffer.alloc(publicInputBytes, mark).toString("base64");
  const output = { type, result: { inputs, proof: "", verificationKey: "" } };
  return `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(output))}`;
}
