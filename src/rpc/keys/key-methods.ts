import { type Method, type Namespace, Registry } from "../registry/registry.ts";

/** Whether a list of names and of beginnings followed by `*` has a method's name on the wire. */
function isListed(methods: readonly string[], name: string): boolean {
  return methods.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : entry === name));
}

/** The part of a registry that a list of methods leaves. */
export function permittedMethods(registry: Registry, listed: readonly string[]): Registry {
  const methods = listed.map((name) => registry.declaredName(name));
  return new Registry(
    registry.methods.flatMap((method): Method[] => {
      const namespaces = Object.keys(method.encode) as Namespace[];
      const permitted = namespaces.filter((namespace) => isListed(methods, `${namespace}_${method.name}`));
      const encode = Object.fromEntries(permitted.map((namespace) => [namespace, method.encode[namespace]]));
      return permitted.length === 0 ? [] : [{ ...method, encode }];
    }),
    registry.spellings,
  );
}
