import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { UnprocessableTxError } from "../../../src/execution/errors.ts";
import { phaseRevertCode } from "../../../src/execution/phase-revert-code.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { PublicBaseInput } from "../../../src/prover/circuits/layouts/tx-base.ts";
import { publicBase } from "../../../src/prover/circuits/public-base.ts";
import { absorb, initialSponge, squeeze } from "../../../src/prover/circuits/sponge.ts";
import { kernelOutputOf } from "../../../src/prover/circuits/tx-data.ts";
import type { ExecutedForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { core, txOf } from "../../world/execution/avm-vectors.ts";
import { caseOf, provenCase } from "./proven-case.ts";

/**
 * By seed: SHA-256 of the input of the PUBLIC_VM job of the reference 4.1.2, null where it refuses the transaction, and
 * the revert code that it computes.
 */
const INPUTS = JSON.parse(
  readFileSync(new URL("../../fixtures/prover/generated-vm-inputs.json", import.meta.url), "utf8"),
) as Record<string, { revertCode: number; input: string } | null>;

/** By seed: the same of v5, as test/prover/live/vm-hints.ts recorded them. */
const INPUTS_OF_V5 = JSON.parse(
  readFileSync(new URL("../../fixtures/prover/generated-vm-inputs.v5.json", import.meta.url), "utf8"),
) as Record<string, string | null>;

function digest({ publicPart }: Pick<ExecutedForProving, "publicPart">): string {
  return createHash("sha256").update(publicPart!.vmInput).digest("hex");
}

test("the PUBLIC_VM inputs of randomly generated transactions are those of the reference node", () => {
  const codes = new Set<number>();
  for (const [seed, wanted] of Object.entries(INPUTS)) {
    if (wanted === null) {
      expect(() => provenCase(Number(seed)), `seed ${seed}`).toThrow(UnprocessableTxError);
      continue;
    }
    const { executed, publicPart } = provenCase(Number(seed));
    const input = digest({ publicPart });
    expect(executed.effect.revertCode, `seed ${seed}`).toBe(Math.min(wanted.revertCode, 1));
    expect({ revertCode: phaseRevertCode(executed), input }, `seed ${seed}`).toEqual(wanted);
    codes.add(wanted.revertCode);
  }
  expect([...codes].sort()).toEqual([0, 1, 2, 3]);
});

test("the PUBLIC_VM inputs of v5 are those that the network's simulator executed alone, without any state", () => {
  for (const [seed, wanted] of Object.entries(INPUTS_OF_V5)) {
    if (wanted === null) expect(() => provenCase(Number(seed), V5), `seed ${seed}`).toThrow(UnprocessableTxError);
    else expect(digest(provenCase(Number(seed), V5)), `seed ${seed}`).toBe(wanted);
  }
});

test("the circuit of a transaction absorbs the words that a block has for it, also when its teardown reverts", () => {
  for (const code of [0, 1, 2, 3]) {
    const seed = Number(Object.keys(INPUTS).find((each) => INPUTS[each]?.revertCode === code));
    const { executed, publicPart } = provenCase(seed);
    expect(phaseRevertCode(executed)).toBe(code);
    const { data } = txOf(caseOf(seed).given);
    const startSponge = initialSponge();
    const { endSponge } = publicBase({ core, generation: V4 }, {
      chonkVerifier: { publicInputs: { kernelOutput: kernelOutputOf(data) } },
      vm: publicPart!.publicInputs,
      hints: { startSponge, lastArchive: { root: fr(0), size: 0 }, contractClassLogFields: new Uint8Array(3023 * 32) },
    } as unknown as PublicBaseInput);
    // Test transactions have made-up hashes, and the circuit hashes the data.
    const words = Uint8Array.from(executed.effect.words);
    words.set(txHash(core, data), 32);
    expect(toHex(squeeze(core, endSponge)), `revert code ${code}`).toBe(
      toHex(squeeze(core, absorb(core, startSponge, words))),
    );
  }
});
