import { BOOLEAN, type JsonSchema, listOf, NULL, NUMBER, TEXT } from "./json-schema.ts";
import type { Write } from "./json-writer.ts";
import { BLOCK_NUMBER, CHECKPOINT_NUMBER, EPOCH_NUMBER, FIELD, SLOT_NUMBER, TIMESTAMP } from "./scalars.ts";

/** Writes one result and describes it: the API description is built from the encoders' schemas. */
export interface Encoder<R> extends Write<R> {
  readonly schema: JsonSchema;
}

/** Adds `schema` to `write` as a property, so each encoder needs its own function. */
export function encoder<R>(schema: JsonSchema, write: Write<R>): Encoder<R> {
  return Object.assign(write, { schema });
}

/** Encodes a number with the given schema. */
export const encodeNumberAs = (schema: JsonSchema) => encoder<number>(schema, (out, value) => void out.number(value));

/** Any number. */
export const encodeNumber = encodeNumberAs(NUMBER);
export const encodeBlockNumber = encodeNumberAs(BLOCK_NUMBER);
export const encodeCheckpointNumber = encodeNumberAs(CHECKPOINT_NUMBER);
export const encodeSlotNumber = encodeNumberAs(SLOT_NUMBER);
export const encodeEpochNumber = encodeNumberAs(EPOCH_NUMBER);
export const encodeBoolean = encoder<boolean>(BOOLEAN, (out, value) => void out.text(value ? "true" : "false"));
export const encodeText = encoder<string>(TEXT, (out, value) => void out.value(value));
export const encodeTimestamp = encoder<number | bigint>(TIMESTAMP, (out, value) => void out.decimal(value));
/** Result is a 32-byte word. */
export const encodeWord = encoder<Uint8Array>(FIELD, (out, value) => void out.word(value));
/** For methods without a result, which are called for their effect. */
export const encodeNothing = encoder<unknown>(NULL, (out) => void out.text("null"));

export function encodeArray<T>(encode: Encoder<T>): Encoder<readonly T[]> {
  return encoder(listOf(encode.schema), (out, items) => void out.array(items, encode));
}
