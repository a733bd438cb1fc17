/** Commas from which on reading the values of a call takes milliseconds; a usual transaction has hundreds. */
const MANY_COMMAS = 4_096;
const COMMA_BYTE = 0x2c;

/** Whether a body may hold so many values that reading them would delay other clients of this thread. */
export function mayHoldManyValues(body: Uint8Array): boolean {
  let commas = 0;
  for (let at = body.indexOf(COMMA_BYTE); at !== -1; at = body.indexOf(COMMA_BYTE, at + 1)) {
    if (++commas === MANY_COMMAS) return true;
  }
  return false;
}
