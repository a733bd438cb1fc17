const OPEN_ARRAY = 0x5b;

/** Whether the first byte of JSON text that is no blank begins an array. */
export function isArrayText(body: Uint8Array): boolean {
  let at = 0;
  while (at < body.length && body[at] <= 0x20) at++;
  return body[at] === OPEN_ARRAY;
}

/** Bytes that are no UTF-8 read as replacement characters; a byte order mark is dropped. */
export function utf8(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Text of ASCII bytes. */
export function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1", from, to);
}
