import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UnprocessableTxError } from "../../../src/execution/errors.ts";
import { provenCase } from "./proven-case.ts";

/** By seed: SHA-256 of the input of the reference's PUBLIC_VM job, null where it refuses the transaction. */
const INPUTS = JSON.parse(
  readFileSync(new URL("../../fixtures/prover/generated-vm-inputs.json", import.meta.url), "utf8"),
) as Record<string, { revertCode: number; input: string } | null>;

it("the PUBLIC_VM inputs of randomly generated transactions are those of the reference node", () => {
  const codes = new Set<number>();
  for (const [seed, wanted] of Object.entries(INPUTS)) {
    if (wanted === null) {
      expect(() => provenCase(Number(seed)), `seed ${seed}`).toThrow(UnprocessableTxError);
      continue;
    }
    const { executed, publicPart } = provenCase(Number(seed));
    const input = createHash("sha256").update(publicPart!.vmInput).digest("hex");
    expect({ revertCode: executed.effect.revertCode, input }, `seed ${seed}`).toEqual(wanted);
    codes.add(wanted.revertCode);
  }
  expect([...codes].sort()).toEqual([0, 1, 2, 3]);
});
