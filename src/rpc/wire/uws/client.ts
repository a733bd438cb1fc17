import type * as uws from "uWebSockets.js";
import type { TrustedProxies } from "../trusted-proxies.ts";

/** IP address of the other end of a connection. */
export function peerOf(res: uws.HttpResponse): string {
  return textOf(res.getRemoteAddressAsText());
}

/** IP address of the client of a request. `forwarded` as `forwardedOf` gave it. */
export function clientOf(res: uws.HttpResponse, proxies: TrustedProxies | undefined, forwarded: string): string {
  const peer = peerOf(res);
  // The library takes a header of the PROXY protocol (version 2) from anybody.
  return proxies?.clientOf({ peer, proxied: textOf(res.getProxiedRemoteAddressAsText()), forwarded }) ?? peer;
}

/** All lines of the forwarding header: the library's own look-up gives the first only, which a client may have sent. */
export function forwardedOf(req: uws.HttpRequest, proxies: TrustedProxies | undefined): string {
  if (proxies === undefined) return "";
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === proxies.header) lines.push(value);
  });
  return lines.join(",");
}

function textOf(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString("latin1");
}
