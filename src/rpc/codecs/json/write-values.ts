import type { Write } from "./json-writer.ts";

export const writeNumber: Write<number> = (out, value) => void out.number(value);
export const writeBoolean: Write<boolean> = (out, value) => void out.text(value ? "true" : "false");
export const writeText: Write<string> = (out, value) => void out.value(value);
/** Quoted decimal digits. */
export const writeDecimal: Write<number | bigint> = (out, value) => void out.decimal(value);
/** Quoted 0x hex of any length. */
export const writeHex: Write<Uint8Array> = (out, value) => void out.hex(value);
/** Array of 32-byte words. */
export const writeWords: Write<Uint8Array> = (out, run) => void out.words(run);
