import { maxHeaderSize } from "node:http";
import type { Logger } from "../../telemetry/logger.ts";
import type { HttpApplication, Listener, ListenerOptions } from "./listener.ts";
import { listenWithNode } from "./node-listener.ts";

/**
 * Makes the native listener take heads as long as node:http takes; its own limit of 4096 bytes is less than browsers
 * and proxies may send. It reads this when it is loaded, from the process: only the main thread can set it.
 */
export function allowLongHeads(): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(maxHeaderSize);
}

/**
 * Listens with uWebSockets.js, or with node:http and a warning where its native binary does not load. Throws a
 * ListenError.
 */
export async function listen(application: HttpApplication, options: ListenerOptions, log: Logger): Promise<Listener> {
  allowLongHeads();
  let native: typeof import("./uws-listener.ts");
  try {
    native = await import("./uws-listener.ts");
  } catch (err) {
    log.warn({ err }, "uWebSockets.js does not load on this platform; serving with node:http, which is slower");
    return listenWithNode(application, options);
  }
  return native.listenWithUws(application, options);
}
