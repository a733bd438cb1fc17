import type { MessagePort } from "node:worker_threads";
import { LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import { fromWire, toWire, type WireError } from "./wire-error.ts";

/** Messages of a call port. Arguments and values are whatever a structured clone can carry. */
interface Call {
  id: number;
  service: string;
  method: string;
  args: readonly unknown[];
  /** Whether the method gets a signal as its last argument, which an Abort sets off. */
  abortable: boolean;
}
/** Cancels a call. The reply is still sent. */
interface Abort {
  abort: number;
}
type Reply = { id: number; value: unknown } | { id: number; error: WireError };

/** Objects whose methods may be called from the other end, by name. */
type Services = Readonly<Record<string, object>>;
/** Names of the methods that may be called, by service. */
export type CallableMethods = Readonly<Record<string, readonly string[]>>;

/** Buffers that hold nothing but the bytes of a value: they are transferred instead of copied. */
function ownedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value;
    return value instanceof Buffer || buffer.byteLength !== value.length || !(buffer instanceof ArrayBuffer)
      ? []
      : [buffer];
  }
  if (Array.isArray(value)) return value.flatMap(ownedBuffers);
  if (typeof value !== "object" || value === null) return [];
  return "body" in value ? ownedBuffers(value.body) : "slots" in value ? ownedBuffers(value.slots) : [];
}

/**
 * Answers the calls that come by `port`, each when its method has settled. Only what `callable` names can be called.
 * Bytes are copied, since a service may keep what it gives, but for the services named in `givesAway`, which do not.
 * When the port closes, the signals of all calls under way are aborted.
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
  const abortable = new Map<number, AbortController>();
  port.on("close", () => {
    for (const controller of abortable.values()) controller.abort();
  });
  port.on("message", async (message: Call | Abort) => {
    if ("abort" in message) return abortable.get(message.abort)?.abort();
    const { id, service, method } = message;
    let { args } = message;
    if (message.abortable) {
      const controller = new AbortController();
      abortable.set(id, controller);
      args = [...args, controller.signal];
    }
    try {
      if (!Object.hasOwn(callable, service) || !callable[service].includes(method))
        throw new TypeError(`no method ${service}.${method} to call`);
      const target = services[service] as Record<string, (...args: readonly unknown[]) => unknown>;
      const value = await target[method](...args);
      reply({ id, value }, givesAway.includes(service) ? ownedBuffers(value) : []);
    } catch (error) {
      reply({ id, error: toWire(error) });
    } finally {
      abortable.delete(id);
    }
  });
}

interface RemoteCallsOptions {
  /** Calls that may wait for their answer at once; a further one is refused with an RpcError. */
  max: number;
  /** Buffers in the arguments of a call that are handed over instead of copied. */
  handsOver?(service: string, method: string, args: readonly unknown[]): ArrayBuffer[];
}

/** The asking end of a call port. */
export class RemoteCalls {
  readonly #port: MessagePort;
  readonly #max: number;
  readonly #handsOver: NonNullable<RemoteCallsOptions["handsOver"]>;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  constructor(port: MessagePort, { max, handsOver = () => [] }: RemoteCallsOptions) {
    this.#port = port;
    this.#max = max;
    this.#handsOver = handsOver;
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

  /**
   * Rejects with what the method threw; see WireError for what becomes of errors. Where the last argument is an
   * AbortSignal, the method gets one that is aborted with it.
   */
  call(service: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#waiting.size >= this.#max) {
      return Promise.reject(new RpcError(LIMIT_EXCEEDED, "The node is busy: too many calls are waiting"));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const signal = args.at(-1);
    if (!(signal instanceof AbortSignal)) return this.#send({ id, service, method, args, abortable: false });
    const abort = (): void => this.#port.postMessage({ abort: id } satisfies Abort);
    const answer = this.#send({ id, service, method, args: args.slice(0, -1), abortable: true });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    return answer.finally(() => signal.removeEventListener("abort", abort));
  }

  #send(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#port.postMessage(call, this.#handsOver(call.service, call.method, call.args));
      this.#waiting.set(call.id, { resolve, reject });
    });
  }

  /** An object whose methods are those of a service on the other end. */
  service(name: string, methods: readonly string[]): Record<string, (...args: unknown[]) => Promise<unknown>> {
    return Object.fromEntries(methods.map((method) => [method, (...args) => this.call(name, method, args)]));
  }
}
