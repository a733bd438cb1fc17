import type { DutyName, DutyStep, TimedSlot } from "../../../telemetry/duty-times.ts";
import { encoder } from "../../codecs/json/encoder.ts";
import { about, COUNT, listOf, members, oneOfWords, record } from "../../codecs/json/json-schema.ts";
import { SLOT_NUMBER } from "../../codecs/json/scalars.ts";

export const DUTY_NAMES: readonly DutyName[] = ["execute block", "attest", "propose block", "propose checkpoint"];
const INTO_SLOT = { type: "integer" };

const STEPS: Record<DutyStep, string> = {
  received: "The proposal arrived.",
  collected: "All transactions of the block were there.",
  built: "The block or checkpoint was built.",
  executed: "The block was executed and compared with the proposal.",
  checked: "The checkpoint was rebuilt and compared with the proposal.",
  signed: "The signature was made.",
  sent: "The message was handed to gossip.",
  attested: "Enough members had attested.",
  published: "L1 had the checkpoint.",
};

const DUTY = record(
  "TimedDuty",
  "A duty of a slot. Times are milliseconds from the start of the slot, negative before it.",
  {
    duty: oneOfWords(DUTY_NAMES, "What was to be done."),
    steps: about(
      members({}, Object.fromEntries(Object.entries(STEPS).map(([step, text]) => [step, about(INTO_SLOT, text)]))),
      "When each step was done.",
    ),
  },
  {
    index: about(COUNT, "The block's index within its checkpoint, of duties of blocks."),
    due: about(INTO_SLOT, "When the duty was due, where that is known."),
  },
);

const SLOT = record("TimedSlot", "The duties of a slot.", {
  slot: SLOT_NUMBER,
  duties: about(listOf(DUTY), "In the order in which they began."),
});

export const encodeDutyTimes = encoder<TimedSlot[]>(listOf(SLOT), (out, slots) => void out.value(slots));
