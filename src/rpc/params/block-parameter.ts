import { type Codec, rejected } from "./codec.ts";
import { fieldFromText, isHexText } from "./field.ts";

/** Which block a request means: the proposed tip, a number (an integer >= 0 of any size), or a hash of 32 bytes. */
export type BlockParameter = "latest" | number | Uint8Array;

/**
 * Tried in this order: hash text, number, the text "latest" (sheet 02 section 2.2). So text of digits alone is a hash, and text
 * that is no hex but reads as a number, such as " 1", is a number.
 */
export const blockParameter: Codec<BlockParameter> = {
  read(value, path, issues) {
    if (isHexText(value)) return fieldFromText(value);
    if (typeof value === "number" || typeof value === "string") {
      const number = Number(value);
      if (Number.isInteger(number) && number >= 0) return number;
      if (value === "latest") return value;
    }
    return rejected(issues, path, "Invalid input");
  },
};
