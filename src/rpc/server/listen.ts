import { maxHeaderSize } from "node:http";
import type { Logger } from "../../telemetry/logger.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../wire/listener.ts";
import { listenWithNode } from "../wire/node/listener.ts";
import { UWS_IDLE_MS } from "../wire/uws/idle-time.ts";

/**
 * Makes the native listener take heads as long as node:http takes; its own limit of 4096 bytes is less than browsers
 * and proxies may send. It reads this when it is loaded, from the process: only the main thread can set it.
 */
export function allowLongHeads(): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(maxHeaderSize);
}

/**
 * Listens with uWebSockets.js, or with node:http: when the options ask for it, and with a warning where the native
 * binary
 * does not load. Throws a ListenError.
 */
export async function listen(application: HttpApplication, options: ListenerOptions, log: Logger): Promise<Listener> {
  if (options.adapter === "node") return listenWithNode(application, options);
  const { keepAliveTimeoutMs = 0 } = options;
  if (keepAliveTimeoutMs > UWS_IDLE_MS) {
    const facts = { keepAliveTimeoutMs, maxMs: UWS_IDLE_MS };
    log.info(facts, "serving with node:http, which is slower: uWebSockets.js has no option for idle connections");
    return listenWithNode(application, options);
  }
  allowLongHeads();
  let native: typeof import("../wire/uws/listener.ts");
  try {
    native = await import("../wire/uws/listener.ts");
  } catch (err) {
    log.warn({ err }, "uWebSockets.js does not load on this platform; serving with node:http, which is slower");
    return listenWithNode(application, options);
  }
  return native.listenWithUws(application, options);
}
