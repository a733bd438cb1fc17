import { BOOLEAN, type JsonSchema, listOf, NULL, NUMBER, TEXT } from "../schema/json-schema.ts";
import { BLOCK_NUMBER, CHECKPOINT_NUMBER, EPOCH_NUMBER, FIELD, SLOT_NUMBER, TIMESTAMP } from "../schema/scalars.ts";
import type { Write } from "./json-writer.ts";

/** Writes one result, and says what it writes: the description of the API is made of the encoders' schemas. */
export interface Encoder<R> extends Write<R> {
  readonly schema: JsonSchema;
}

/** `write` is given the schema as a property, so it has to be a function of its own. */
export function encoder<R>(schema: JsonSchema, write: Write<R>): Encoder<R> {
  return Object.assign(write, { schema });
}

/** `schema` is that of a number. */
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
/** For methods without a result: their handlers give undefined. */
export const encodeNothing = encoder<unknown>(NULL, () => {});

export function encodeArray<T>(encode: Encoder<T>): Encoder<readonly T[]> {
  return encoder(listOf(encode.schema), (out, items) => void out.array(items, encode));
}
