/** A member of a JSON document by its path, with dots, and what its value must be. */
export type MemberRule = readonly [path: string, holds: (value: unknown) => boolean, rule: string];

export function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
export const isHash = (value: unknown): boolean => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value);
export const isDigest = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** The first rule that a document breaks, with the path of the member; undefined if it breaks none. */
export function brokenRule(rules: readonly MemberRule[], document: unknown): string | undefined {
  for (const [path, holds, rule] of rules) {
    const value = path.split(".").reduce<unknown>((at, name) => (isMembers(at) ? at[name] : undefined), document);
    if (!holds(value)) return `${path} ${rule}`;
  }
  return undefined;
}
