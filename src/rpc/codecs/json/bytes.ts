import { isObject } from "../../../json/json-field.ts";
import { type Codec, rejected } from "./codec.ts";
import { type JsonSchema, named } from "./json-schema.ts";

export const BUFFER_OBJECT_SCHEMA: JsonSchema = {
  title: "BufferObject",
  description: "Bytes as numbers, in the form that JSON.stringify gives a Buffer of Node.js.",
  type: "object",
  properties: {
    type: { const: "Buffer", description: "Marks the form." },
    data: { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, description: "The bytes." },
  },
  required: ["type", "data"],
};

/** Bytes of `{"type":"Buffer","data":[bytes]}`, which some clients send; undefined for anything else. */
export function bufferObject(value: unknown): Uint8Array | undefined {
  if (!isObject(value) || value.type !== "Buffer" || !Array.isArray(value.data)) return undefined;
  const isByte = (item: unknown) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  return value.data.every(isByte) ? Buffer.from(value.data) : undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Longer text is decoded without checking its characters; invalid ones are skipped
 * (docs/protocol/05-rpc.md#510-values-of-the-release).
 */
const MAX_CHECKED_BYTES = 1024;

/** Bytes as base64 text or as a Buffer object. */
export const bytes: Codec<Uint8Array> = {
  schema: named("BytesInput", "Bytes.", {
    anyOf: [{ type: "string", contentEncoding: "base64", description: "Base64 with padding." }, BUFFER_OBJECT_SCHEMA],
  }),
  read(value, path, issues) {
    if (typeof value === "string") {
      if (value.length <= MAX_CHECKED_BYTES && !BASE64.test(value)) {
        return rejected(issues, path, "Not a valid base64 string");
      }
      return Buffer.from(value, "base64");
    }
    return bufferObject(value) ?? rejected(issues, path, "Invalid input");
  },
};
