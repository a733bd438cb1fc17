import type * as uws from "uWebSockets.js";

/** IP address of the other end of a connection. */
export function clientOf(res: uws.HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}
