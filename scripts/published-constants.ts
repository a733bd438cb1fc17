/** Readers of the generated modules of the contracts package, whose exports are plain values. */

export interface AbiItem {
  type: string;
}

/** Positions in the creation code that take a library's 20-byte address. */
export interface LinkReference {
  library: string;
  /** Byte offsets. */
  at: number[];
}

/** Thrown if a generated module lacks a constant or has it in another form. */
export class PublishedConstantError extends Error {
  readonly constant: string;
  constructor(name: string, rule: string, options?: ErrorOptions) {
    super(`constant ${name} ${rule}`, options);
    this.name = "PublishedConstantError";
    this.constant = name;
  }
}

/** The value of `export const name = JSON;`. Throws PublishedConstantError. */
export function constant(source: string, name: string): unknown {
  const opening = `export const ${name} = `;
  const start = source.indexOf(opening);
  const end = source.indexOf(";\n", start);
  if (start < 0 || end < 0) throw new PublishedConstantError(name, "is missing");
  try {
    return JSON.parse(source.slice(start + opening.length, end));
  } catch (cause) {
    throw new PublishedConstantError(name, "is not JSON", { cause });
  }
}

/** The compiler's link references by library, without file names. Each position must have 20 bytes. */
export function linkReferences(value: unknown): LinkReference[] {
  const byFile = value as Record<string, Record<string, { start: number; length: number }[]>>;
  return Object.values(byFile).flatMap((libraries) =>
    Object.entries(libraries).map(([library, places]) => ({
      library,
      at: places.map(({ start, length }) => {
        if (length !== 20) throw new PublishedConstantError(library, `must have 20 bytes at ${start}, has ${length}`);
        return start;
      }),
    })),
  );
}

/** Creation code with zeros in place of library addresses; undefined if anything else is not hex. */
export function byteCode(value: unknown, links: readonly LinkReference[]): Buffer | undefined {
  if (typeof value !== "string" || !value.startsWith("0x")) return undefined;
  const parts = value.slice(2).split("");
  for (const start of links.flatMap(({ at }) => at)) parts.fill("0", 2 * start, 2 * start + 40);
  const hex = parts.join("");
  return /^([0-9a-f]{2})*$/.test(hex) ? Buffer.from(hex, "hex") : undefined;
}
