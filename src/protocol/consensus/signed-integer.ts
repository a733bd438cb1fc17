import { bigUintBytes, readBigUint } from "../bytes.ts";

/** Value of a 32-byte integer in two's complement. */
export function signedBigInt(bytes: Uint8Array): bigint {
  return BigInt.asIntN(256, readBigUint(bytes, 0, 32));
}

/** 32 bytes in two's complement. */
export function signedBytes(value: bigint): Uint8Array {
  return bigUintBytes(BigInt.asUintN(256, value), 32);
}
