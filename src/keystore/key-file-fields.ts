import { JsonField } from "../json/json-field.ts";

/** An encrypted key file breaks a rule, or the password is wrong. The message is a clause without secrets. */
export class EncryptedKeyError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = "EncryptedKeyError";
  }
}

/** The object that a key file holds; reading it throws EncryptedKeyError. */
export function parseKeyFile(text: string): JsonField {
  const file = JsonField.parse(text, "", ({ field }, rule) => {
    throw new EncryptedKeyError(field === "" ? `the file ${rule}` : `${field} ${rule}`);
  });
  file.object();
  return file;
}

/** Bytes of hex digits, with 0x or without. `bytes` is the required length. */
export function hexBytes(field: JsonField, bytes?: number): Uint8Array {
  const { value } = field;
  const digits = typeof value === "string" ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value)?.[1] : undefined;
  if (digits === undefined || (bytes !== undefined && digits.length !== 2 * bytes)) {
    return field.broken(`must be hex${bytes === undefined ? "" : ` of ${bytes} bytes`}`);
  }
  return Buffer.from(digits, "hex");
}

/** Requires a value that is always the same. */
export function constant(field: JsonField, value: string | number): void {
  if (field.value !== value) field.broken(`must be ${value}`);
}

/** The error for a key file whose MAC or checksum does not fit the password. */
export function wrongPassword(password: string): EncryptedKeyError {
  return new EncryptedKeyError(
    password === "" ? "cannot be decrypted: no password is given" : "cannot be decrypted with the given password",
  );
}
