import { isIPv4 } from "node:net";
import { HttpError } from "../../http/errors.ts";
import { wholeExchange } from "../../http/exchange.ts";
import { PublicAddressError } from "./errors.ts";

/** Answers with the address that a request came from, as text. */
const SERVICE = "https://checkip.amazonaws.com/";
const PATIENCE_MS = 10_000;
const MAX_BYTES = 256;
const ADVICE = "set P2P_IP to this node's public IPv4 address";

/** Asks a public service for this node's IPv4 address. Rejects with a PublicAddressError. */
export async function queryPublicIp(signal?: AbortSignal, service = SERVICE, totalMs = PATIENCE_MS): Promise<string> {
  const fail = (reason: string): never => {
    throw new PublicAddressError(`the public IP address cannot be queried: ${reason}; ${ADVICE}`);
  };
  try {
    const { status, body } = await wholeExchange({ url: service, signal }, { totalMs, maxBytes: MAX_BYTES });
    if (status !== 200) return fail(`the service answers with HTTP ${status}`);
    const text = body.toString("utf8").trim();
    if (!isIPv4(text)) return fail("the service does not answer with an IPv4 address");
    return text;
  } catch (error) {
    if (error instanceof HttpError) return fail(error.message);
    throw error;
  }
}
