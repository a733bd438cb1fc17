/** Bytes end inside one of their parts. The message is the network's text for it (sheet 02 section 2.3). */
export class TruncatedError extends Error {
  /** Where the part that is cut off begins. */
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

/** 32 bytes at or above the modulus stand where a field belongs. */
export class FieldRangeError extends Error {
  /** 0x hex. */
  readonly value: string;

  constructor(value: string) {
    super(`Value ${value} is greater or equal to field modulus.`);
    this.name = "FieldRangeError";
    this.value = value;
  }
}

/** A proof has another number of fields than the circuit's. */
export class ProofLengthError extends Error {
  readonly fields: number;

  constructor(fields: number) {
    super(`Invalid ChonkProof length: ${fields}`);
    this.name = "ProofLengthError";
    this.fields = fields;
  }
}
