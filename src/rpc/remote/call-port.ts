import type { MessagePort } from "node:worker_threads";
import { LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import { fromWire, toWire, type WireError } from "./wire-error.ts";

/** What both ends of a call port say to each other. Arguments and values are whatever a structured clone can carry. */
interface Call {
  id: number;
  service: string;
  method: string;
  args: readonly unknown[];
}
type Reply = { id: number; value: unknown } | { id: number; error: WireError };

/** Objects whose methods may be called from the other end, by name. */
export type Services = Readonly<Record<string, object>>;
/** Names of the methods that may be called, by service. */
export type CallableMethods = Readonly<Record<string, readonly string[]>>;

/** Buffers that belong to the bytes in a value alone: they are handed over instead of copied. */
function ownedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value;
    return value instanceof Buffer || buffer.byteLength !== value.length || !(buffer instanceof ArrayBuffer)
      ? []
      : [buffer];
  }
  if (Array.isArray(value)) return value.flatMap(ownedBuffers);
  return typeof value === "object" && value !== null && "body" in value ? ownedBuffers(value.body) : [];
}

/**
 * Answers the calls that come by `port`, each when its method has settled. Only what `callable` names can be called. Bytes are copied,
 * since a service may keep what it gives, but for the services named in `givesAway`, which do not.
 */
export function serveCalls(
  port: MessagePort,
  services: Services,
  callable: CallableMethods,
  givesAway: readonly string[] = [],
): void {
  const reply = (message: Reply, transfer: ArrayBuffer[] = []): void => {
    try {
      port.postMessage(message, transfer);
    } catch (error) {
      // A value that cannot be cloned.
      port.postMessage({ id: message.id, error: toWire(error) });
    }
  };
  port.on("message", async ({ id, service, method, args }: Call) => {
    try {
      if (!Object.hasOwn(callable, service) || !callable[service].includes(method))
        throw new TypeError(`no method ${service}.${method} to call`);
      const target = services[service] as Record<string, (...args: readonly unknown[]) => unknown>;
      const value = await target[method](...args);
      reply({ id, value }, givesAway.includes(service) ? ownedBuffers(value) : []);
    } catch (error) {
      reply({ id, error: toWire(error) });
    }
  });
}

export interface RemoteCallsOptions {
  /** Calls that may wait for their answer at once; a further one is refused with an RpcError. */
  most: number;
}

/** The asking end of a call port. */
export class RemoteCalls {
  readonly #port: MessagePort;
  readonly #most: number;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  constructor(port: MessagePort, { most }: RemoteCallsOptions) {
    this.#port = port;
    this.#most = most;
    port.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("error" in reply) waiting?.reject(fromWire(reply.error));
      else waiting?.resolve(reply.value);
    });
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with what the method threw; see WireError for what becomes of errors. */
  call(service: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#waiting.size >= this.#most) {
      return Promise.reject(new RpcError(LIMIT_EXCEEDED, "The node is busy: too many calls are waiting"));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const call: Call = { id, service, method, args };
      this.#port.postMessage(call);
      this.#waiting.set(id, { resolve, reject });
    });
  }

  /** An object whose methods are those of a service on the other end. */
  service(name: string, methods: readonly string[]): Record<string, (...args: unknown[]) => Promise<unknown>> {
    return Object.fromEntries(methods.map((method) => [method, (...args) => this.call(name, method, args)]));
  }
}
