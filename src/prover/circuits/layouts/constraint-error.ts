import { ContentError } from "../../../errors/content-error.ts";
import { equal } from "../../../protocol/bytes.ts";
import { type Codec, encode } from "../../codec/codec.ts";

/** A job's input contradicts itself: no proof of it exists. */
export class ConstraintError extends ContentError {
  override readonly errorCode: string = "unprovable";

  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`);
    this.name = "ConstraintError";
    this.field = field;
    this.rule = rule;
  }
}

/** Throws a ConstraintError unless both values have the same encoding. */
export function requireEqual<T>(codec: Codec<T>, actual: T, expected: T, field: string, expectedName: string): void {
  if (!equal(encode(codec, actual), encode(codec, expected))) {
    throw new ConstraintError(field, `must equal ${expectedName}`);
  }
}
