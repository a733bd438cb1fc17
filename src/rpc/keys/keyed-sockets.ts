import type { CallLimit } from "../limits/client-limit.ts";
import type { Registry } from "../registry/registry.ts";
import type { SocketAccess, SocketGate } from "../subscriptions/socket-access.ts";
import type { ApiKey } from "./api-key.ts";
import { keyLimit } from "./key-limits.ts";
import { permittedMethods } from "./key-methods.ts";
import { INVALID_KEY, NO_KEY, presentedKey, unauthorized } from "./key-route.ts";
import type { KeyAccess } from "./keyed-application.ts";

interface KeyedSocketsOptions extends KeyAccess {
  /** All methods of the port. */
  registry: Registry;
  accessOf(methods: Registry, limits: { rateLimit: CallLimit; readsAllBodies: boolean }): SocketAccess;
}

/**
 * Lets clients with a key open sockets under its limits; those without one as `ordinary` says, where none is required.
 */
export function keyedSockets(ordinary: SocketAccess, options: KeyedSocketsOptions): SocketGate {
  const { ring, required, memory, counts, registry, accessOf } = options;
  const accesses = new WeakMap<ApiKey, SocketAccess>();
  const accessFor = (key: ApiKey): SocketAccess => {
    let access = accesses.get(key);
    if (access === undefined) {
      const methods = key.methods === undefined ? registry : permittedMethods(registry, key.methods);
      const limits = { rateLimit: keyLimit(key, memory, counts), readsAllBodies: key.methods !== undefined };
      access = accessOf(methods, limits);
      accesses.set(key, access);
    }
    return access;
  };
  return (head) => {
    const presented = presentedKey(head);
    if (presented === "") return required ? unauthorized(NO_KEY, []) : () => ordinary;
    const found = ring.find(presented);
    if (found === undefined) return unauthorized(INVALID_KEY, []);
    return () => {
      const key = ring.current(found);
      return key && accessFor(key);
    };
  };
}
