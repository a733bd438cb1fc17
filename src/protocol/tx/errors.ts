/**
 * Bytes end within a part. The message is the reference node's
 * (docs/protocol/07-transactions-and-fees.md#73-binary-form).
 */
export class TruncatedError extends Error {
  /** Offset of the part that is cut off. */
  readonly at: number;
  readonly width: number;
  readonly length: number;

  constructor(at: number, width: number, length: number) {
    super(
      `Attempted to read beyond buffer length. Start index: ${at}, Num bytes to read: ${width}, Buffer length: ${length}`,
    );
    this.name = "TruncatedError";
    this.at = at;
    this.width = width;
    this.length = length;
  }
}

/** A field element is at or above the modulus. */
export class FieldRangeError extends Error {
  /** 0x hex. */
  readonly value: string;

  constructor(value: string) {
    super(`Value ${value} is greater or equal to field modulus.`);
    this.name = "FieldRangeError";
    this.value = value;
  }
}

/** A proof does not have the number of fields that the circuit requires. */
export class ProofLengthError extends Error {
  readonly fields: number;

  constructor(fields: number) {
    super(`Invalid ChonkProof length: ${fields}`);
    this.name = "ProofLengthError";
    this.fields = fields;
  }
}
