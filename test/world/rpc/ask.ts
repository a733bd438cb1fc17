import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";
import { fakeServices, recordingLogger } from "./fakes.ts";
import { Checker } from "./json-schema.ts";

export interface Answered {
  status: number;
  /** The response without its member `jsonrpc`. */
  body: { id?: number; result?: unknown; error?: { code: number; message: string; data?: unknown } };
}

const NAMESPACES = ["svc", "node", "p2p"] as const;
/** Checks results by the description of the API, which depends on words that a node can choose and the generation. */
const checkerOf = (services: NodeServices) => new Checker(openRpcDocument(publicRegistry(services), NAMESPACES));
const described = checkerOf(fakeServices());

/** Calls methods by full name over the public registry. Throws when a result does not match the API description. */
export function asker(services: Partial<NodeServices> = {}) {
  const log = recordingLogger();
  const options = {
    maxBatchSize: 100,
    namespaces: NAMESPACES,
    expectedErrors: [UnknownStateError],
  };
  const faked = fakeServices(services);
  const usual = services.status === undefined && faked.chain.generation === V4;
  const checker = usual ? described : checkerOf(faked);
  const dispatcher = new Dispatcher(publicRegistry(faked), options, log);
  const respond = async (method: string, params: unknown): Promise<Answered> => {
    const { status, body } = await dispatcher.answer({ id: 1, method, params });
    const { jsonrpc: _, ...rest } = JSON.parse(Buffer.from(body).toString());
    if (rest.error === undefined && method !== "rpc.discover") {
      const violations = checker.resultViolations(method, rest.result);
      if (violations.length > 0) throw new TypeError(violations.join("\n").slice(0, 2000));
    }
    return { status, body: rest };
  };
  /** The result, or `[code, message]` of the error. */
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { result, error } = (await respond(method, params)).body;
    return error === undefined ? result : [error.code, error.message];
  };
  return { ask, respond, log };
}
