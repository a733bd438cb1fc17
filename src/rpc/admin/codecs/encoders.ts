import { toHex } from "../../../protocol/bytes.ts";
import type { Offense } from "../../../protocol/slashing/offense.ts";
import { encoder } from "../../codecs/json/encoder.ts";
import { about, COUNT, listOf, record } from "../../codecs/json/json-schema.ts";
import { DECIMAL, ETH_ADDRESS, TIMESTAMP } from "../../codecs/json/scalars.ts";
import type { SlashPayloadRound } from "../ports/slasher.ts";

/** Slashing types: big integers are written as decimal text. */

const AMOUNT = about(DECIMAL, "The penalty, in the staking asset's smallest unit.");
const OFFENSE_TYPE = about(COUNT, "What it was, by the network's numbers; 0 is unknown.");
const EPOCH_OR_SLOT = about(DECIMAL, "When it was: an epoch for offenses of an epoch, a slot for the others.");

const OFFENSE = record("Offense", "An offense of a validator.", {
  validator: ETH_ADDRESS,
  amount: AMOUNT,
  offenseType: OFFENSE_TYPE,
  epochOrSlot: EPOCH_OR_SLOT,
});

export const encodeOffenses = encoder<Offense[]>(
  listOf(OFFENSE),
  (out, offenses) =>
    void out.value(
      offenses.map(({ validator, amount, offenseType, epochOrSlot }) => ({
        validator: toHex(validator),
        amount: amount.toString(),
        offenseType,
        epochOrSlot: epochOrSlot.toString(),
      })),
    ),
);

const SLASHED = record("SlashedValidator", "What a payload takes from a validator.", {
  validator: ETH_ADDRESS,
  amount: AMOUNT,
  offenses: about(
    listOf(
      record("SlashedOffense", "An offense that is slashed.", {
        epochOrSlot: EPOCH_OR_SLOT,
        offenseType: OFFENSE_TYPE,
      }),
    ),
    "Why.",
  ),
});
const PAYLOAD = record("SlashPayloadRound", "A slash payload that can be voted for.", {
  address: about(ETH_ADDRESS, "The payload's contract."),
  slashes: about(listOf(SLASHED), "Whom it slashes."),
  timestamp: about(TIMESTAMP, "When it was made."),
  votes: about(DECIMAL, "How many votes it has."),
  round: about(DECIMAL, "The round in which it can be voted for."),
});

export const encodeSlashPayloads = encoder<SlashPayloadRound[]>(
  listOf(PAYLOAD),
  (out, rounds) =>
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
    ),
);
