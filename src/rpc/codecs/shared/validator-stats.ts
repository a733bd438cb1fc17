import type {
  AllStatistics,
  DutyTime,
  MissedDuties,
  SingleStatistics,
  StatisticsWindow,
  ValidatorStatistics,
} from "../../../protocol/slashing/validator-statistics.ts";
import { encoder } from "../json/encoder.ts";
import { about, COUNT, listOf, NUMBER, oneOfWords, record, TEXT } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { MemberWriter } from "../json/member-writer.ts";
import { EPOCH_NUMBER, ETH_ADDRESS, SLOT_NUMBER, TIMESTAMP } from "../json/scalars.ts";
import { writeDecimal, writeHex, writeNumber, writeText } from "../json/write-values.ts";

function encodeDutyTime(out: JsonWriter, { timestamp, slot, date }: DutyTime): void {
  new MemberWriter(out)
    .add("timestamp", timestamp, writeDecimal)
    .add("slot", slot, writeNumber)
    .add("date", date, writeText)
    .end();
}

function encodeMissed(out: JsonWriter, { currentStreak, rate, count, total }: MissedDuties): void {
  new MemberWriter(out)
    .add("currentStreak", currentStreak, writeNumber)
    .add("rate", rate, writeNumber)
    .add("count", count, writeNumber)
    .add("total", total, writeNumber)
    .end();
}

const DUTY_TIME = record("DutyTime", "When a duty was last done.", {
  timestamp: about(TIMESTAMP, "Start of the slot."),
  slot: SLOT_NUMBER,
  date: about(TEXT, "The timestamp in ISO 8601 form."),
});
const MISSED = record(
  "MissedDuties",
  "How often a duty was missed.",
  {
    currentStreak: about(COUNT, "How often in a row, up to now."),
    count: about(COUNT, "How often."),
    total: about(COUNT, "How often the duty was there."),
  },
  { rate: about(NUMBER, "Count divided by total; absent without any duty.") },
);
const VALIDATOR = record(
  "ValidatorStats",
  "How a validator did its duties.",
  {
    address: ETH_ADDRESS,
    totalSlots: about(COUNT, "How many slots the history has."),
    missedProposals: about(MISSED, "Of its proposals."),
    missedAttestations: about(MISSED, "Of its attestations."),
    history: about(
      listOf(
        record("ValidatorHistoryEntry", "What a validator did in a slot.", {
          slot: SLOT_NUMBER,
          status: oneOfWords(
            [
              "checkpoint-mined",
              "checkpoint-proposed",
              "checkpoint-missed",
              "blocks-missed",
              "attestation-sent",
              "attestation-missed",
            ],
            "What it did or missed.",
          ),
        }),
      ),
      "Slot by slot, ascending.",
    ),
  },
  {
    lastProposal: about(DUTY_TIME, "When it last proposed; absent when it never did."),
    lastAttestation: about(DUTY_TIME, "When it last attested; absent when it never did."),
  },
);

/** ValidatorStats (docs/protocol/05-rpc.md#531-validators). */
const encodeValidator = encoder<ValidatorStatistics>(VALIDATOR, (out, validator) => {
  new MemberWriter(out)
    .add("address", validator.address, writeHex)
    .add("lastProposal", validator.lastProposal, encodeDutyTime)
    .add("lastAttestation", validator.lastAttestation, encodeDutyTime)
    .add("totalSlots", validator.totalSlots, writeNumber)
    .add("missedProposals", validator.missedProposals, encodeMissed)
    .add("missedAttestations", validator.missedAttestations, encodeMissed)
    .add("history", validator.history, (to, history) => {
      to.array(history, (item, { slot, status }) => item.text(`{"slot":${slot},"status":"${status}"}`));
    })
    .end();
});

function addWindow(
  members: MemberWriter,
  { lastProcessedSlot, initialSlot, slotWindow }: StatisticsWindow,
): MemberWriter {
  return members
    .add("lastProcessedSlot", lastProcessedSlot, writeNumber)
    .add("initialSlot", initialSlot, writeNumber)
    .add("slotWindow", slotWindow, writeNumber);
}

const WINDOW = {
  lastProcessedSlot: about(SLOT_NUMBER, "The last slot that was processed; absent before the first."),
  initialSlot: about(
    SLOT_NUMBER,
    "The slot of the node's start: later slots are processed; absent during the initial sync.",
  ),
};
const SLOT_WINDOW = { slotWindow: about(COUNT, "Over how many slots the statistics go; 0 where none are kept.") };
const VALIDATORS = record(
  "ValidatorsStats",
  "How all validators did their duties.",
  {
    stats: {
      type: "object",
      additionalProperties: encodeValidator.schema,
      description: "By the validator's address, 0x and 40 lower-case hex digits.",
    },
    ...SLOT_WINDOW,
  },
  WINDOW,
);

/** ValidatorsStats: keyed by address. */
export const encodeValidatorsStats = encoder<AllStatistics>(VALIDATORS, (out, all) => {
  const members = new MemberWriter(out).add("stats", all.stats, (to, stats) => {
    to.text("{");
    for (const [i, validator] of stats.entries()) {
      if (i > 0) to.text(",");
      to.hex(validator.address).text(":");
      encodeValidator(to, validator);
    }
    to.text("}");
  });
  addWindow(members, all).end();
});

const VALIDATOR_ALONE = record(
  "SingleValidatorStats",
  "How one validator did its duties.",
  {
    validator: encodeValidator.schema,
    allTimeProvenPerformance: about(
      listOf(
        record("EpochPerformance", "A validator's duties in a proven epoch.", {
          epoch: EPOCH_NUMBER,
          missed: about(COUNT, "Proposals and attestations that it missed."),
          total: about(COUNT, "Proposals and attestations that were recorded."),
        }),
      ),
      "Epoch by epoch.",
    ),
    ...SLOT_WINDOW,
  },
  WINDOW,
);

/** SingleValidatorStats. */
export const encodeSingleValidatorStats = encoder<SingleStatistics>(VALIDATOR_ALONE, (out, stats) => {
  const members = new MemberWriter(out)
    .add("validator", stats.validator, encodeValidator)
    .add("allTimeProvenPerformance", stats.allTimeProvenPerformance, (to, epochs) => {
      to.array(epochs, (item, { epoch, missed, total }) =>
        item.text(`{"epoch":${epoch},"missed":${missed},"total":${total}}`),
      );
    });
  addWindow(members, stats).end();
});
