import { GoodbyeReason } from "../codecs/goodbye-reason.ts";
import type { RequestHandler } from "../request-handler.ts";

/**
 * A goodbye gets no answer. A reason that is not one byte is passed on as unknown. The listener is called when the
 * stream's end is sent: one that hangs up earlier makes the peer see a failed request.
 */
export function goodbyeHandler(onGoodbye: (peer: string, reason: number) => void): RequestHandler {
  return ({ bytes, peer, ended }) => {
    void ended.then(() => onGoodbye(peer, bytes.length === 1 ? bytes[0] : GoodbyeReason.UNKNOWN));
    return undefined;
  };
}
