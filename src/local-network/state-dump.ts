import { HttpError } from "../http/errors.ts";
import { openExchange } from "../http/exchange.ts";
import { redactUrl } from "../http/redact.ts";
import { L1EndpointError } from "../l1/errors.ts";

const METHOD = "anvil_dumpState";
const REQUEST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHOD, params: [] });
const BEFORE_RESULT = /"result"\s*:\s*"0x/;
const BEFORE_RESULT_BYTES = 256;
const LIMITS = { totalMs: 60_000, slowestRate: 64 };

/**
 * The gzipped state of an anvil, piece by piece, since that of a long chain has hundreds of megabytes. Throws an
 * L1EndpointError.
 */
export async function* dumpState(url: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const fields = { url: redactUrl(url), method: METHOD };
  const nonsense = (rule: string): L1EndpointError => new L1EndpointError("nonsense", rule, fields);
  const headers = { "content-type": "application/json" };
  /** Text that is not decoded yet: what comes before the digits, then one digit at most. */
  let text = "";
  let inResult = false;
  try {
    const { body } = await openExchange({ method: "POST", url, headers, body: REQUEST, signal }, LIMITS);
    for await (const piece of body) {
      text += Buffer.from(piece).toString("latin1");
      if (!inResult) {
        const found = BEFORE_RESULT.exec(text);
        if (found === null && text.length < BEFORE_RESULT_BYTES) continue;
        if (found === null) break;
        inResult = true;
        text = text.slice(found.index + found[0].length);
      }
      const end = text.indexOf('"');
      const digits = end < 0 ? text.length - (text.length % 2) : end;
      const bytes = Buffer.from(text.slice(0, digits), "hex");
      if (bytes.length * 2 !== digits) throw nonsense("the state is not an even number of hex digits");
      yield bytes;
      if (end >= 0) return;
      text = text.slice(digits);
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new L1EndpointError("unreachable", error.message, { ...fields, cause: error });
  }
  throw nonsense(inResult ? "the state has no end" : `there is no state in the answer: ${text.slice(0, 200)}`);
}
