/** An encrypted key file breaks a rule, or the password is wrong. The message is a clause without secrets. */
export class EncryptedKeyError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = "EncryptedKeyError";
  }
}

type Json = Record<string, unknown>;

/** The object that a key file holds. Throws EncryptedKeyError. */
export function parseKeyFile(text: string): Json {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new EncryptedKeyError("must be JSON");
  }
  return asObject(json, "the file");
}

export function asObject(value: unknown, name: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new EncryptedKeyError(`${name} must be an object`);
}

/** Bytes of hex digits, with 0x or without. `bytes` is the required length. */
export function hex(value: unknown, name: string, bytes?: number): Uint8Array {
  const digits = typeof value === "string" ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value)?.[1] : undefined;
  if (digits === undefined || (bytes !== undefined && digits.length !== 2 * bytes)) {
    throw new EncryptedKeyError(`${name} must be hex${bytes === undefined ? "" : ` of ${bytes} bytes`}`);
  }
  return Buffer.from(digits, "hex");
}

export function whole(value: unknown, name: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw new EncryptedKeyError(`${name} must be a whole number from ${least} to ${most}`);
}

/** The error for a key file whose MAC or checksum does not fit the password. */
export function wrongPassword(password: string): EncryptedKeyError {
  return new EncryptedKeyError(
    password === "" ? "cannot be decrypted: no password is given" : "cannot be decrypted with the given password",
  );
}
