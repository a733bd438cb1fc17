import { readBigInteger } from "../../codecs/json/big-integer.ts";
import { type Codec, rejected } from "../../codecs/json/codec.ts";
import { named } from "../../codecs/json/json-schema.ts";
import type { SlashRound } from "../ports/slasher.ts";

/**
 * A round number, `all` or `current`. The reference accepts only the two words
 * (docs/protocol/05-rpc.md#537-other-admin-methods).
 */
export const slashRound: Codec<SlashRound> = {
  schema: named("SlashRound", "Which offenses are meant.", {
    anyOf: [
      { const: "all", description: "All that are stored." },
      { const: "current", description: "Those that are slashed in the current round." },
      { type: "integer", minimum: 0, description: "Those that are slashed in this round." },
      { type: "string", pattern: "^([0-9]+|0x[0-9a-fA-F]+)$", description: "The number of the round as text." },
    ],
  }),
  read(value, path, issues) {
    if (value === "all" || value === "current") return value;
    const round = readBigInteger(value);
    return round === undefined || round < 0n ? rejected(issues, path, "Invalid input") : round;
  },
};
