import { GoodbyeReason } from "../codecs/goodbye-reason.ts";
import type { RequestHandler } from "../request-handler.ts";

/** A goodbye gets no answer. A reason that is not one byte is passed on as unknown. */
export function goodbyeHandler(onGoodbye: (peer: string, reason: number) => void): RequestHandler {
  return ({ bytes, peer }) => {
    onGoodbye(peer, bytes.length === 1 ? bytes[0] : GoodbyeReason.UNKNOWN);
    return undefined;
  };
}
