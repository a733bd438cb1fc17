import { DecodeError } from "../../protocol/errors.ts";
import { decodeStatus, encodeStatus, type StatusMessage } from "../reqresp/codecs/status-message.ts";
import type { Handshake, HandshakeOutcome } from "./handshake.ts";
import { type RequestAnswer, type RequestClient, RequestStatus } from "./request-client.ts";

const PASSED: HandshakeOutcome = { passed: true };

function failed(reason: string): HandshakeOutcome {
  return { passed: false, reason };
}

/** Whether a status is of a peer with this version string. */
export function checkStatus({ version }: StatusMessage, own: string): HandshakeOutcome {
  return version === own ? PASSED : failed(`its version is ${version}, not ${own}`);
}

/** The value that an answer holds, or why it holds none. */
export function decodedAnswer<T>(
  { status, body }: RequestAnswer,
  decode: (body: Uint8Array) => T,
): { value: T } | { failure: HandshakeOutcome } {
  if (status !== RequestStatus.SUCCESS) return { failure: failed(`it answered with status ${status}`) };
  try {
    return { value: decode(body) };
  } catch (error) {
    if (error instanceof DecodeError) return { failure: failed(error.message) };
    throw error;
  }
}

/** Exchanges status messages; peers of another version fail. */
export class StatusHandshake implements Handshake {
  readonly #client: RequestClient;
  readonly #own: () => StatusMessage;

  constructor(client: RequestClient, own: () => StatusMessage) {
    this.#client = client;
    this.#own = own;
  }

  async check(peer: string): Promise<HandshakeOutcome> {
    const own = this.#own();
    const decoded = decodedAnswer(await this.#client.request(peer, "status", encodeStatus(own)), decodeStatus);
    return "failure" in decoded ? decoded.failure : checkStatus(decoded.value, own.version);
  }
}
