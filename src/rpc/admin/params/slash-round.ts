import { type Codec, rejected } from "../../params/codec.ts";
import type { SlashRound } from "../services.ts";
import { readBigInteger } from "./big-integer.ts";

/** A round number, or `all`, or `current`. The reference can only be sent the two words (sheet 02 section 5.1). */
export const slashRound: Codec<SlashRound> = {
  schema: {
    anyOf: [{ enum: ["all", "current"] }, { type: "integer", minimum: 0 }, { type: "string", pattern: "^[0-9]+$" }],
  },
  read(value, path, issues) {
    if (value === "all" || value === "current") return value;
    const round = readBigInteger(value);
    return round === undefined || round < 0n ? rejected(issues, path, "Invalid input") : round;
  },
};
