export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where a rule is broken. */
export interface JsonPlace {
  /** The file or message. */
  readonly source: string;
  /** For example `validators[0].attester`; empty for the whole document. */
  readonly field: string;
}

/**
 * Is told of a broken rule, a clause such as "must be text". It throws; or it records the rule, so that the rest is
 * read
 * too, and the document is refused afterwards: what is read of a broken field has no meaning.
 */
type OnBrokenRule = (place: JsonPlace, rule: string) => unknown;

/** A value in a JSON document from outside. Its readers check what they read. No rule quotes a value. */
export class JsonField implements JsonPlace {
  readonly value: unknown;
  readonly source: string;
  readonly field: string;
  readonly #onBroken: OnBrokenRule;

  constructor(value: unknown, source: string, onBroken: OnBrokenRule, field = "") {
    this.value = value;
    this.source = source;
    this.field = field;
    this.#onBroken = onBroken;
  }

  /** Parses a document of the operator; parseJson bounds what comes from others. */
  static parse(text: string, source: string, onBroken: OnBrokenRule): JsonField {
    try {
      return new JsonField(JSON.parse(text), source, onBroken);
    } catch {
      // The parser's own message quotes the text, which may hold secrets.
      const document = new JsonField(undefined, source, onBroken);
      document.broken(`must be JSON (${text.length} characters)`);
      return document;
    }
  }

  get given(): boolean {
    return this.value !== undefined;
  }

  broken<T>(rule: string): T {
    return this.#onBroken(this, rule) as T;
  }

  isObject(): boolean {
    return isObject(this.value);
  }

  has(key: string): boolean {
    return isObject(this.value) && Object.hasOwn(this.value, key);
  }

  key(key: string): JsonField {
    const value = this.has(key) ? (this.value as Record<string, unknown>)[key] : undefined;
    return new JsonField(value, this.source, this.#onBroken, this.field === "" ? key : `${this.field}.${key}`);
  }

  /** Whether it is an object, with no other keys than `known` if that is given. */
  object(known?: readonly string[]): boolean {
    if (!isObject(this.value)) {
      this.broken("must be an object");
      return false;
    }
    const unknown = known === undefined ? [] : Object.keys(this.value).filter((key) => !known.includes(key));
    for (const key of unknown) this.key(key.slice(0, 64)).broken(`is unknown: there are ${known?.join(", ")}`);
    return true;
  }

  items(rule = "must be a list"): JsonField[] {
    if (!Array.isArray(this.value)) {
      this.broken(rule);
      return [];
    }
    return this.value.map((item, i) => new JsonField(item, this.source, this.#onBroken, `${this.field}[${i}]`));
  }

  optional<T>(read: (field: JsonField) => T): T | undefined {
    return this.given ? read(this) : undefined;
  }

  text(pattern?: RegExp, rule = "must be text"): string {
    const { value } = this;
    return typeof value === "string" && (pattern?.test(value) ?? true) ? value : this.broken(rule);
  }

  flag(): boolean {
    return typeof this.value === "boolean" ? this.value : this.broken("must be true or false");
  }

  /** `least` and `most` are included. */
  whole(least = 0, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.value as number;
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    return this.broken(`must be a whole number ${range}`);
  }

  /** Lower-case 0x text of so many bytes. */
  hex(bytes: number): string {
    return this.text(new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`), `must be 0x and ${2 * bytes} lower-case hex digits`);
  }
}
