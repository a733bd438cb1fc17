import type { NodeServices } from "../src/rpc/ports/node-services.ts";

/** Stands for services of which only the descriptions of methods are read; no method can be called. */
export const PLACEHOLDER_SERVICES = new Proxy({} as NodeServices, {
  get: (_, name) => (name === "status" ? { revertWords: "4.3" } : {}),
});
