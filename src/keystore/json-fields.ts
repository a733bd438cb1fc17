import { isL1AddressText, l1AddressDigits } from "../protocol/l1-address-text.ts";
import type { KeystoreIssue } from "./errors.ts";

/** A JSON value at a place in a file. Broken rules are collected in a list shared by all fields of the file. */
export class JsonField {
  readonly value: unknown;
  readonly field: string;
  readonly file: string;
  readonly #issues: KeystoreIssue[];

  constructor(value: unknown, file: string, issues: KeystoreIssue[], field = "") {
    this.value = value;
    this.file = file;
    this.field = field;
    this.#issues = issues;
  }

  get given(): boolean {
    return this.value !== undefined;
  }

  get place(): { file: string; field: string } {
    return { file: this.file, field: this.field };
  }

  /** Records a broken rule. The result is a placeholder that is never used, because the file is then refused. */
  broken<T>(rule: string): T {
    this.#issues.push({ file: this.file, field: this.field, rule });
    return undefined as T;
  }

  isObject(): boolean {
    return typeof this.value === "object" && this.value !== null && !Array.isArray(this.value);
  }

  has(key: string): boolean {
    return this.isObject() && Object.hasOwn(this.value as object, key);
  }

  key(key: string): JsonField {
    const value = this.has(key) ? (this.value as Record<string, unknown>)[key] : undefined;
    return new JsonField(value, this.file, this.#issues, this.field === "" ? key : `${this.field}.${key}`);
  }

  /** Whether it is an object; records an issue for every key outside `known`. */
  object(known: readonly string[]): boolean {
    if (!this.isObject()) return this.broken("must be an object") ?? false;
    for (const key of Object.keys(this.value as object)) {
      if (!known.includes(key)) this.key(key).broken("is not a known key");
    }
    return true;
  }

  items(): JsonField[] {
    return (this.value as unknown[]).map(
      (item, i) => new JsonField(item, this.file, this.#issues, `${this.field}[${i}]`),
    );
  }

  optional<T>(read: (field: JsonField) => T): T | undefined {
    return this.given ? read(this) : undefined;
  }
}

export function readText(field: JsonField): string {
  return typeof field.value === "string" ? field.value : field.broken("must be text");
}

export function readWhole(field: JsonField, least: number, fallback: number): number {
  if (!field.given) return fallback;
  const { value } = field;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) < 2 ** 31) return value as number;
  return field.broken(`must be a whole number of at least ${least}`);
}

/** Lower-case 0x text. Mixed case must have the checksum of EIP-55, which catches mistyped digits. */
export function readL1Address(field: JsonField): string {
  const { value } = field;
  if (typeof value !== "string" || !isL1AddressText(value))
    return field.broken("must be 40 hex digits, with 0x or without");
  const digits = l1AddressDigits(value);
  return digits === undefined
    ? field.broken("mixes upper and lower case against its checksum (EIP-55)")
    : `0x${digits}`;
}
