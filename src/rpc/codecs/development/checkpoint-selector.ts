import { isObject } from "../../../json/json-field.ts";
import { absent, type Codec, type Issue, object, type Path, rejected, ruled, shownValue } from "../json/codec.ts";
import { about, BOOLEAN, members, named } from "../json/json-schema.ts";
import { integer, integerSchema } from "../json/number.ts";
import { CHECKPOINT_NUMBER } from "../json/scalars.ts";
import { boolean } from "../json/text.ts";
import { TIP_NAMES, type TipName, tip } from "../shared/block-parameter.ts";

/**
 * The requested checkpoint (docs/protocol/05-rpc.md#513-blocks-in-the-development-namespace). Here `proposed` is the
 * same as `checkpointed`.
 */
export type CheckpointSelector = { number: number } | { slot: number } | TipName;

const number = integer({ least: 0 });
const slot = integer({ least: 0 });
/** Whether an object has exactly these keys. */
const exactly = (value: Record<string, unknown>, ...keys: string[]) => {
  const given = Object.keys(value).filter((key) => value[key] !== undefined);
  return given.length === keys.length && keys.every((key) => given.includes(key));
};
const SELECTOR_FORMS = `Expected a checkpoint number, one of ${TIP_NAMES.join(" | ")}, or an object with exactly one of number and slot`;

/** Keys of an object as messages show them. */
function shownKeys(value: Record<string, unknown>): string {
  return `the keys [${Object.keys(value).join(", ").slice(0, 80)}]`;
}

export const checkpointSelector: Codec<CheckpointSelector> = {
  schema: named("CheckpointParameter", "Which checkpoint is meant.", {
    anyOf: [
      about(CHECKPOINT_NUMBER, "By number."),
      { type: "string", pattern: "^\\s*[0-9]+\\s*$", description: "By number, as decimal text." },
      about(tip.schema!, "By tip; proposed is the same as checkpointed."),
      about(members({ number: about(number.schema!, "The number of the checkpoint.") }), "By number."),
      about(members({ slot: about(slot.schema!, "The slot.") }), "By the slot that it is of."),
    ],
  }),
  read(value, path, issues) {
    if (isObject(value)) {
      if (exactly(value, "number")) return { number: number.read(value.number, [...path, "number"], issues) };
      if (exactly(value, "slot")) return { slot: slot.read(value.slot, [...path, "slot"], issues) };
    } else if ((TIP_NAMES as readonly unknown[]).includes(value)) {
      return value as TipName;
    } else if (typeof value === "number" || (typeof value === "string" && /^\s*[0-9]+\s*$/.test(value))) {
      return { number: number.read(value, path, issues) };
    }
    return rejected(
      issues,
      path,
      `${SELECTOR_FORMS}, received ${isObject(value) ? shownKeys(value) : shownValue(value)}`,
    );
  },
};

/** Most checkpoints per answer of a query. */
const MAX_CHECKPOINTS = 200;

/** The requested checkpoints (docs/protocol/05-rpc.md#513-blocks-in-the-development-namespace). */
export type CheckpointsQuery =
  | { from: number; limit: number }
  | { epoch: number }
  | { fromSlot: number; limit: number; reverse: boolean };

const limit: Codec<number> = {
  schema: about(integerSchema({ least: 1, most: MAX_CHECKPOINTS }), "How many checkpoints at most."),
  read: ruled(integer({ least: 1 }), (value) =>
    value > MAX_CHECKPOINTS ? `limit must be at most ${MAX_CHECKPOINTS}` : undefined,
  ).read,
};
const from = integer({ least: 1 });
const epoch = integer({ least: 0 });
const fromSlot = integer({ least: 0 });
const range = object({ from, limit });
const bySlot = object({ fromSlot, limit, reverse: absent(boolean) });

const QUERY_FORMS =
  "Expected an object with the keys from and limit, or epoch, or fromSlot, limit and optionally reverse";

function readQuery(value: Record<string, unknown>, path: Path, issues: Issue[]): CheckpointsQuery {
  if (exactly(value, "from", "limit")) return range.read(value, path, issues);
  if (exactly(value, "epoch")) return { epoch: epoch.read(value.epoch, [...path, "epoch"], issues) };
  if (exactly(value, "fromSlot", "limit") || exactly(value, "fromSlot", "limit", "reverse")) {
    const read = bySlot.read(value, path, issues);
    return { ...read, reverse: read.reverse ?? false };
  }
  return rejected(issues, path, `${QUERY_FORMS}, received ${shownKeys(value)}`);
}

export const checkpointsQuery: Codec<CheckpointsQuery> = {
  schema: named("CheckpointsQuery", "Which checkpoints are meant.", {
    anyOf: [
      about(
        members({ from: about(from.schema!, "Number of the first checkpoint."), limit: limit.schema! }),
        "Those from a number on, ascending.",
      ),
      about(members({ epoch: about(epoch.schema!, "The epoch.") }), "Those of an epoch, ascending."),
      about(
        members(
          { fromSlot: about(fromSlot.schema!, "The slot."), limit: limit.schema! },
          { reverse: about(BOOLEAN, "Whether to go down from the slot instead of up; false by default.") },
        ),
        "Those around a slot, the nearest first.",
      ),
    ],
  }),
  read: (value, path, issues) =>
    isObject(value)
      ? readQuery(value, path, issues)
      : rejected(issues, path, `${QUERY_FORMS}, received ${shownValue(value)}`),
};
