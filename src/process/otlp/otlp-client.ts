import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { wholeExchange } from "../../http/exchange.ts";
import { redactUrl } from "../../http/redact.ts";
import { withRetries } from "../../http/retry.ts";

/** A collector does not take what it was sent. */
class OtlpError extends Error {
  override readonly name = "OtlpError";
}

const packed = promisify(gzip);
/** An answer names what was refused, in a sentence. */
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRY_DELAYS_MS = [1_000, 4_000];

/** Sends requests of one signal to an OpenTelemetry collector: OTLP over HTTP, as JSON. */
export class OtlpClient {
  /** The collector as it may be printed. */
  readonly name: string;
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor(url: string, timeoutMs: number) {
    this.name = redactUrl(url);
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with an HttpError or an OtlpError. */
  async send(request: object, signal?: AbortSignal): Promise<void> {
    const body = await packed(JSON.stringify(request));
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const attempt = () =>
      wholeExchange(
        { method: "POST", url: this.#url, headers, body, signal },
        { totalMs: this.#timeoutMs, maxBytes: MAX_ANSWER_BYTES },
      );
    const reply = await withRetries(attempt, { delaysMs: RETRY_DELAYS_MS, withinMs: this.#timeoutMs, signal });
    const answer = reply.body.toString("utf8").slice(0, 200);
    if (reply.status < 200 || reply.status > 299) throw new OtlpError(`HTTP status ${reply.status}: ${answer}`);
    const refused = refusedItems(reply.body.toString("utf8"));
    if (refused !== undefined) throw new OtlpError(`the collector refused a part: ${refused}`);
  }
}

/** What a partial success of OTLP refuses; undefined for a full one, and for answers in another form. */
function refusedItems(answer: string): string | undefined {
  let partial: Record<string, unknown> | undefined;
  try {
    partial = (JSON.parse(answer || "{}") as { partialSuccess?: Record<string, unknown> }).partialSuccess;
  } catch {
    return undefined;
  }
  const [count] = Object.entries(partial ?? {}).filter(([name, value]) => /^rejected/.test(name) && Number(value) > 0);
  return count === undefined ? undefined : `${count[1]} items, ${String(partial?.errorMessage ?? "").slice(0, 200)}`;
}
