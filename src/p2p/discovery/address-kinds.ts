/** Kinds of IPv4 addresses (IANA special-purpose registry). Addresses are 4 bytes. */

/** Addresses within one machine or a private network. */
export function isPrivate([a = 0, b = 0]: Uint8Array): boolean {
  return (
    a === 127 ||
    a === 10 ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b < 128)
  );
}

/** Whether the address can be that of one host: not "this network", multicast, reserved or broadcast. */
export function isHost([a = 0]: Uint8Array): boolean {
  return a > 0 && a < 224;
}
