import { toHex } from "../../protocol/bytes.ts";
import type { Encoder } from "../encoding/json-writer.ts";
import type { Offense, SlashPayloadRound } from "./services.ts";

/** Slashing shapes of sheet 02 section 5.2: big integers as decimal text. */

export const encodeOffenses: Encoder<Offense[]> = (out, offenses) =>
  void out.value(
    offenses.map(({ validator, amount, offenseType, epochOrSlot }) => ({
      validator: toHex(validator),
      amount: amount.toString(),
      offenseType,
      epochOrSlot: epochOrSlot.toString(),
    })),
  );

export const encodeSlashPayloads: Encoder<SlashPayloadRound[]> = (out, rounds) =>
  void out.value(
    rounds.map(({ address, slashes, timestamp, votes, round }) => ({
      address: toHex(address),
      slashes: slashes.map(({ validator, amount, offenses }) => ({
        validator: toHex(validator),
        amount: amount.toString(),
        offenses: offenses.map(({ epochOrSlot, offenseType }) => ({
          epochOrSlot: epochOrSlot.toString(),
          offenseType,
        })),
      })),
      timestamp: timestamp.toString(),
      votes: votes.toString(),
      round: round.toString(),
    })),
  );

/** Of a method without a result: never called. */
export const encodeNothing: Encoder<unknown> = () => {};
