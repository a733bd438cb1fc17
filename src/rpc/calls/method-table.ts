import type { MethodResults } from "../cache/result-cache.ts";
import { declaredNamespace, type Method, type Namespace, type RawForm, type Registry } from "../registry/registry.ts";
import { type CallCounts, OTHER } from "./call-counts.ts";
import { type EnvelopeScan, MethodName } from "./envelope-scan.ts";

/** A method of a namespace under its name on the wire. */
export interface WireMethod {
  readonly name: string;
  readonly scanned: MethodName;
  readonly namespace: Namespace;
  readonly method: Method;
  readonly raw: RawForm | undefined;
  /** Of the results that may be kept; undefined for methods whose results are not. */
  readonly results: MethodResults | undefined;
  /** Where its calls are counted. */
  readonly counted: number;
}

/** Finds methods by the bytes of their names. */
export class MethodTable {
  readonly #byHash = new Map<number, WireMethod>();
  readonly #byName = new Map<string, WireMethod>();
  readonly #raw = new Set<number>();

  /**
   * With the methods that a scanned request can do something for: the rest is left out. Throws a RangeError when two
   * names share a hash.
   */
  constructor(registry: Registry, namespaces: readonly Namespace[], counts?: Pick<CallCounts, "indexOf">) {
    /** By declared name: both spellings of a method share their results. */
    const kept = new Map<string, MethodResults>();
    for (const given of namespaces) {
      const namespace = declaredNamespace(given);
      for (const method of registry.in(given)) {
        const raw = method.raw?.[namespace];
        const declared = `${namespace}_${method.name}`;
        const results = method.keep && (kept.get(declared) ?? new Map<string, unknown>());
        if (raw === undefined && results === undefined) continue;
        if (results !== undefined) kept.set(declared, results);
        const name = `${given}_${method.name}`;
        const scanned = new MethodName(name);
        const other = this.#byHash.get(scanned.hash);
        if (other !== undefined) throw new RangeError(`${name} and ${other.name} have the same hash`);
        const counted = counts?.indexOf(name) ?? OTHER;
        const entry = { name, scanned, namespace, method, raw, results, counted };
        this.#byHash.set(scanned.hash, entry);
        if (raw !== undefined) this.#raw.add(scanned.hash);
        this.#byName.set(name, entry);
      }
    }
  }

  /** Hashes of the names of the methods with a raw form. */
  get raw(): ReadonlySet<number> {
    return this.#raw;
  }

  named(name: string): WireMethod | undefined {
    return this.#byName.get(name);
  }

  /** The method that a request names; `scan` must not have looked at another one since. */
  find(scan: EnvelopeScan): WireMethod | undefined {
    const found = this.#byHash.get(scan.methodHash);
    return found?.scanned.isFoundBy(scan) ? found : undefined;
  }
}
