import { type Codec, rejected, typeName, wrongType } from "./codec.ts";

/** Text of at most `most` characters. */
export function text(most = Number.POSITIVE_INFINITY): Codec<string> {
  return {
    schema: { type: "string", ...(Number.isFinite(most) ? { maxLength: most } : {}) },
    read(value, path, issues) {
      if (typeof value !== "string") return wrongType(issues, path, "string", value);
      return value.length <= most ? value : rejected(issues, path, `String must contain at most ${most} character(s)`);
    },
  };
}

/** One of the given words. */
export function word<const W extends string>(words: readonly W[]): Codec<W> {
  const names = words.map((name) => `'${name}'`).join(" | ");
  return {
    schema: { enum: words },
    read(value, path, issues) {
      if ((words as readonly unknown[]).includes(value)) return value as W;
      if (typeof value === "string") {
        return rejected(issues, path, `Invalid enum value. Expected ${names}, received '${value.slice(0, 80)}'`);
      }
      return rejected(
        issues,
        path,
        value === undefined ? "Required" : `Expected ${names}, received ${typeName(value)}`,
      );
    },
  };
}

export const boolean: Codec<boolean> = {
  schema: { type: "boolean" },
  read: (value, path, issues) => (typeof value === "boolean" ? value : wrongType(issues, path, "boolean", value)),
};
