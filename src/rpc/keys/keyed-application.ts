import type { CallLimit } from "../limits/client-limit.ts";
import type { Registry } from "../registry/registry.ts";
import type { HttpApplication } from "../wire/listener.ts";
import type { ApiKey } from "./api-key.ts";
import type { KeyCounts } from "./key-counts.ts";
import { type KeyMemory, keyLimit } from "./key-limits.ts";
import { permittedMethods } from "./key-methods.ts";
import type { KeyRing } from "./key-ring.ts";
import { KeyRoute } from "./key-route.ts";

/** API keys of one listener. */
export interface KeyAccess {
  ring: KeyRing;
  /** Whether calls without a key are refused. */
  required: boolean;
  memory: KeyMemory;
  counts: KeyCounts;
}

interface KeyedApplicationOptions extends KeyAccess {
  /** Whether pages of all origins may read refusals. */
  anyOrigin: boolean;
  /** All methods of the port. */
  registry: Registry;
  applicationOf(methods: Registry, limits: { rateLimit: CallLimit; readsAllBodies: boolean }): HttpApplication;
}

/** Puts keys in front of an application: each has an application of its own, with its methods and its limit. */
export function keyedApplication(ordinary: HttpApplication, options: KeyedApplicationOptions): HttpApplication {
  const { ring, required, memory, counts, anyOrigin, registry, applicationOf } = options;
  const applications = new WeakMap<ApiKey, HttpApplication>();
  const applicationFor = (key: ApiKey): HttpApplication => {
    let application = applications.get(key);
    if (application === undefined) {
      const methods = key.methods === undefined ? registry : permittedMethods(registry, key.methods);
      const limits = { rateLimit: keyLimit(key, memory, counts), readsAllBodies: key.methods !== undefined };
      application = applicationOf(methods, limits);
      applications.set(key, application);
    }
    return application;
  };
  return new KeyRoute(ordinary, {
    ring,
    required,
    applicationFor,
    headers: anyOrigin ? [["Access-Control-Allow-Origin", "*"]] : [],
  });
}
