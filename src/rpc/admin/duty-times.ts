import { DUTY_STEPS, type DutyName, type TimedSlot } from "../../telemetry/duty-times.ts";
import { encoder } from "../encoding/encoder.ts";
import { about, COUNT, listOf, members, oneOfWords, record } from "../schema/json-schema.ts";
import { SLOT_NUMBER } from "../schema/scalars.ts";

const NAMES: readonly DutyName[] = ["execute block", "attest", "propose block", "propose checkpoint"];
const INTO_SLOT = { type: "integer" };

const DUTY = record(
  "TimedDuty",
  "A duty of a slot. Times are milliseconds from the start of the slot, negative before it.",
  {
    duty: oneOfWords(NAMES, "What was to be done."),
    steps: about(
      members({}, Object.fromEntries(DUTY_STEPS.map((step) => [step, INTO_SLOT]))),
      "When each step was done.",
    ),
  },
  {
    index: about(COUNT, "The block's index within its checkpoint, of duties of blocks."),
    due: about(INTO_SLOT, "When the duty was due, where that is known."),
  },
);

const SLOT = record("TimedSlot", "The duties of a slot, in the order in which they began.", {
  slot: SLOT_NUMBER,
  duties: listOf(DUTY),
});

export const encodeDutyTimes = encoder<TimedSlot[]>(listOf(SLOT), (out, slots) => void out.value(slots));
