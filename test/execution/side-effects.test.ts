import fc from "fast-check";
import { expect, test } from "vitest";
import { SideEffects } from "../../src/execution/side-effects.ts";
import { slotKey } from "../../src/execution/siloing.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";

const contract = fr(77);

type Step =
  | { kind: "write"; slot: number; value: number }
  | { kind: "note"; value: number }
  | { kind: "nullifier"; value: number }
  | { kind: "message"; value: number }
  | { kind: "log"; value: number }
  | { kind: "begin" | "commit" | "revert" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), slot: fc.nat(5), value: fc.nat(9) }),
  fc.record({ kind: fc.constantFrom("note", "nullifier", "message", "log"), value: fc.nat(99) }) as fc.Arbitrary<Step>,
  fc.record({ kind: fc.constantFrom("begin" as const, "commit" as const, "revert" as const) }),
);

/** The contents of the journal, as text. */
interface Contents {
  writes: [number, number][];
  notes: number[];
  nullifiers: number[];
  messages: number[];
  logs: number[];
}
const number = (word: Uint8Array) => Number(BigInt(toHex(word)));
const shown = (effects: SideEffects): Contents => ({
  writes: [...effects.writes.values()].map(({ slot, value }) => [number(slot), number(value)]),
  notes: effects.noteHashes.map(number),
  nullifiers: effects.nullifiers.map(number),
  messages: effects.messages.map(({ content }) => number(content)),
  logs: effects.logs.map(({ fields }) => fields.length / 32),
});

test("side effects equal those of a journal that copies everything at each mark, after any nesting of commits and reverts", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const effects = new SideEffects();
      let model: Contents = { writes: [], notes: [], nullifiers: [], messages: [], logs: [] };
      const copies: Contents[] = [];
      const marks: ReturnType<SideEffects["mark"]>[] = [];
      for (const taken of steps) {
        if (taken.kind === "begin") {
          marks.push(effects.mark());
          copies.push(structuredClone(model));
        } else if (taken.kind === "commit") {
          marks.pop();
          copies.pop();
        } else if (taken.kind === "revert") {
          const mark = marks.pop();
          if (mark !== undefined) {
            effects.revertTo(mark);
            model = copies.pop() as Contents;
          }
        } else if (taken.kind === "write") {
          const slot = fr(taken.slot);
          effects.write(slotKey(contract, slot), { contract, slot, value: fr(taken.value) });
          const at = model.writes.findIndex(([known]) => known === taken.slot);
          if (at < 0) model.writes.push([taken.slot, taken.value]);
          else model.writes[at] = [taken.slot, taken.value];
        } else if (taken.kind === "note") {
          effects.addNoteHash(fr(taken.value));
          model.notes.push(taken.value);
        } else if (taken.kind === "nullifier") {
          if (effects.hasNullifier(fr(taken.value))) continue;
          effects.addNullifier(fr(taken.value));
          model.nullifiers.push(taken.value);
        } else if (taken.kind === "message") {
          effects.addMessage({ contractAddress: contract, recipient: new Uint8Array(20), content: fr(taken.value) });
          model.messages.push(taken.value);
        } else if (taken.kind === "log") {
          effects.addLog({ contractAddress: contract, fields: new Uint8Array(taken.value * 32) });
          model.logs.push(taken.value);
        }
        for (let value = 0; value < 100; value += 9) {
          expect(effects.hasNullifier(fr(value))).toBe(model.nullifiers.includes(value));
        }
      }
      expect(shown(effects)).toEqual(model);
      const logFields = model.logs.reduce((sum, fields) => sum + 2 + fields, 0);
      expect(effects.hasLogRoom(4096 - 2 - logFields)).toBe(true);
      expect(effects.hasLogRoom(4096 - 1 - logFields)).toBe(false);
    }),
  );
});

test("side effects are limited per transaction, and a revert frees room again", () => {
  const effects = new SideEffects();
  const mark = effects.mark();
  for (let i = 0; i < 64; i++) {
    expect([effects.hasNoteHashRoom, effects.hasNullifierRoom]).toEqual([true, true]);
    expect(effects.hasMessageRoom).toBe(i < 8);
    expect(effects.hasSlotRoom).toBe(i < 63);
    effects.addNoteHash(fr(i));
    effects.addNullifier(fr(i));
    effects.addMessage({ contractAddress: contract, recipient: new Uint8Array(20), content: fr(i) });
    effects.write(slotKey(contract, fr(i)), { contract, slot: fr(i), value: fr(i) });
  }
  expect([effects.hasNoteHashRoom, effects.hasNullifierRoom]).toEqual([false, false]);
  effects.revertTo(mark);
  expect([effects.hasNoteHashRoom, effects.hasNullifierRoom, effects.hasSlotRoom, effects.hasMessageRoom]).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("side effects keep a slot's position in the order until its first write is reverted", () => {
  const effects = new SideEffects();
  const write = (slot: number, value: number) =>
    effects.write(slotKey(contract, fr(slot)), { contract, slot: fr(slot), value: fr(value) });
  const mark = effects.mark();
  write(1, 1);
  effects.revertTo(mark);
  write(2, 1);
  write(1, 2);
  write(2, 3);
  expect(shown(effects).writes).toEqual([
    [2, 3],
    [1, 2],
  ]);
});
