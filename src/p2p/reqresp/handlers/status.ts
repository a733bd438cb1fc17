import { encodeStatus, type StatusMessage } from "../codecs/status-message.ts";
import { type RequestHandler, success } from "../request-handler.ts";

/** Answers every request without reading it. `status` is called for each and must be cheap. */
export function statusHandler(status: () => StatusMessage): RequestHandler {
  return () => success(encodeStatus(status()));
}
