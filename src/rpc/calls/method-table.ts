import type { MethodResults } from "../cache/result-cache.ts";
import type { Method, Namespace, RawForm, Registry } from "../registry/registry.ts";
import { type CallCounts, OTHER } from "./call-counts.ts";

/** A method of a namespace under its name on the wire. */
export interface WireMethod {
  readonly name: string;
  readonly namespace: Namespace;
  readonly method: Method;
  readonly raw: RawForm | undefined;
  /** Of the results that may be kept; undefined for methods whose results are not. */
  readonly results: MethodResults | undefined;
  /** Where its calls are counted. */
  readonly counted: number;
}

/** The methods that a scanned request can do something for, by their names on the wire. */
export class MethodTable {
  readonly #byName = new Map<string, WireMethod>();

  constructor(registry: Registry, namespaces: readonly Namespace[], counts?: Pick<CallCounts, "indexOf">) {
    /** By declared name: both spellings of a method share their results. */
    const kept = new Map<string, MethodResults>();
    for (const given of namespaces) {
      const namespace = registry.declared(given);
      for (const method of registry.in(given)) {
        const raw = method.raw?.[namespace];
        const declared = `${namespace}_${method.name}`;
        const results = method.keep && (kept.get(declared) ?? new Map<string, unknown>());
        if (raw === undefined && results === undefined) continue;
        if (results !== undefined) kept.set(declared, results);
        const name = `${given}_${method.name}`;
        const counted = counts?.indexOf(name) ?? OTHER;
        this.#byName.set(name, { name, namespace, method, raw, results, counted });
      }
    }
  }

  named(name: string): WireMethod | undefined {
    return this.#byName.get(name);
  }
}
