import { V4 } from "../src/protocol/generations/v4/v4.ts";
import type { NodeServices } from "../src/rpc/ports/node-services.ts";

/** Values that the descriptions of methods depend on. */
const READ: Readonly<Record<string | symbol, object>> = {
  status: { revertWords: "4.3" },
  chain: { generation: V4 },
};

/** Stands for services of which only the descriptions of methods are read; no method can be called. */
export const PLACEHOLDER_SERVICES = new Proxy({} as NodeServices, { get: (_, name) => READ[name] ?? {} });
