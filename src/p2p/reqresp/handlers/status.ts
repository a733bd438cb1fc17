import { encodeStatus, type StatusMessage } from "../codecs/status-message.ts";
import { type RequestHandler, success } from "../request-handler.ts";

/** The request is not read: whoever asks gets the status. `status` is called for each request and must be cheap. */
export function statusHandler(status: () => StatusMessage): RequestHandler {
  return () => success(encodeStatus(status()));
}
