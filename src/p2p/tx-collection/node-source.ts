import type { HashedTx } from "../../execution/executed-tx.ts";
import { HttpError } from "../../http/errors.ts";
import { type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { redactUrl } from "../../http/redact.ts";
import { JsonError, parseJson } from "../../json/parse-json.ts";
import { toHex } from "../../protocol/bytes.ts";

interface NodeSourceOptions {
  url: string;
  /** Version headers by name: one that an answer has must be equal. */
  versions: readonly (readonly [name: string, value: string])[];
  /** Reads a tx of an answer with the hash that it claims. Throws for one that is malformed. */
  readTx(json: unknown): HashedTx;
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** A tx has up to 512 KiB, and its JSON, partly base64 and partly hex, up to twice as much. */
const MAX_TX_JSON_BYTES = 1024 * 1024;
const MAX_ENVELOPE_BYTES = 64 * 1024;

/** Another node does not answer as a node of this network. The message has neither the URL nor what it sent. */
class NodeSourceError extends Error {
  constructor(rule: string, options?: ErrorOptions) {
    super(rule, options);
    this.name = "NodeSourceError";
  }
}

/** Asks another node's JSON-RPC for transactions (docs/protocol/10-peers.md#1015-collecting-transactions). */
export class NodeTxSource {
  /** Redacted, for messages. */
  readonly name: string;
  readonly #options: NodeSourceOptions;

  constructor(options: NodeSourceOptions) {
    this.name = redactUrl(options.url);
    this.#options = options;
  }

  /** The txs that the node has, with the hashes that it claims. Rejects with a NodeSourceError. */
  async txsByHash(hashes: readonly Uint8Array[], signal?: AbortSignal): Promise<HashedTx[]> {
    const { url, versions, readTx, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const call = { jsonrpc: "2.0", id: 1, method: "node_getTxsByHash", params: [hashes.map(toHex)] };
    const limits = { totalMs: timeoutMs, maxBytes: MAX_ENVELOPE_BYTES + hashes.length * MAX_TX_JSON_BYTES };
    let reply: WholeReply;
    try {
      reply = await wholeExchange(
        {
          method: "POST",
          url,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(call),
          signal,
        },
        limits,
      );
    } catch (error) {
      if (error instanceof HttpError) throw new NodeSourceError(error.message);
      throw error;
    }
    for (const [name, value] of versions) {
      const given = reply.headers.get(name);
      if (given !== null && given !== value)
        throw new NodeSourceError(`is of another network: ${name} must be ${value}`);
    }
    if (reply.status !== 200) throw new NodeSourceError(`answers with HTTP status ${reply.status}`);
    return resultOf(reply.body)
      .slice(0, hashes.length)
      .map((json) => readTxOf(readTx, json));
  }
}

function resultOf(body: Buffer): unknown[] {
  try {
    const answer = parseJson(body);
    const result = typeof answer === "object" && answer !== null && "result" in answer ? answer.result : undefined;
    if (Array.isArray(result)) return result;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new NodeSourceError(`its answer ${error.message}`);
  }
  throw new NodeSourceError("its answer has no list of transactions");
}

function readTxOf(readTx: NodeSourceOptions["readTx"], json: unknown): HashedTx {
  try {
    return readTx(json);
  } catch {
    throw new NodeSourceError("its answer has a malformed transaction");
  }
}
