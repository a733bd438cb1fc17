/** `object` with some members replaced; its other methods still run on the original. */
export function withOverrides<T extends object>(object: T, overrides: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
