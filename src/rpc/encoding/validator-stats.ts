import type {
  DutyTime,
  MissedDuties,
  SingleValidatorStats,
  StatsWindow,
  ValidatorHistory,
  ValidatorsStats,
} from "../methods/services.ts";
import { encodeDecimal, encodeHex, encodeNumber, encodeText, type JsonWriter, MemberWriter } from "./json-writer.ts";

function encodeDutyTime(out: JsonWriter, { timestamp, slot, date }: DutyTime): void {
  new MemberWriter(out)
    .add("timestamp", timestamp, encodeDecimal)
    .add("slot", slot, encodeNumber)
    .add("date", date, encodeText)
    .end();
}

function encodeMissed(out: JsonWriter, { currentStreak, rate, count, total }: MissedDuties): void {
  new MemberWriter(out)
    .add("currentStreak", currentStreak, encodeNumber)
    .add("rate", rate, encodeNumber)
    .add("count", count, encodeNumber)
    .add("total", total, encodeNumber)
    .end();
}

/** ValidatorStats (sheet 02 section 4.9). */
function encodeValidator(out: JsonWriter, validator: ValidatorHistory): void {
  new MemberWriter(out)
    .add("address", validator.address, encodeHex)
    .add("lastProposal", validator.lastProposal, encodeDutyTime)
    .add("lastAttestation", validator.lastAttestation, encodeDutyTime)
    .add("totalSlots", validator.totalSlots, encodeNumber)
    .add("missedProposals", validator.missedProposals, encodeMissed)
    .add("missedAttestations", validator.missedAttestations, encodeMissed)
    .add("history", validator.history, (to, history) => {
      to.array(history, (item, { slot, status }) => item.text(`{"slot":${slot},"status":"${status}"}`));
    })
    .end();
}

function addWindow(members: MemberWriter, { lastProcessedSlot, initialSlot, slotWindow }: StatsWindow): MemberWriter {
  return members
    .add("lastProcessedSlot", lastProcessedSlot, encodeNumber)
    .add("initialSlot", initialSlot, encodeNumber)
    .add("slotWindow", slotWindow, encodeNumber);
}

/** ValidatorsStats: keyed by address. */
export function encodeValidatorsStats(out: JsonWriter, all: ValidatorsStats): void {
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
}

/** SingleValidatorStats. */
export function encodeSingleValidatorStats(out: JsonWriter, stats: SingleValidatorStats): void {
  const members = new MemberWriter(out)
    .add("validator", stats.validator, encodeValidator)
    .add("allTimeProvenPerformance", stats.allTimeProvenPerformance, (to, epochs) => {
      to.array(epochs, (item, { missed, total, epoch }) =>
        item.text(`{"missed":${missed},"total":${total},"epoch":${epoch}}`),
      );
    });
  addWindow(members, stats).end();
}
