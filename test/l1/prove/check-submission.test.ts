import { expect, test } from "vitest";
import { ContractRevertError } from "../../../src/l1/errors.ts";
import { submissionFault } from "../../../src/l1/prove/check-submission.ts";
import type { EpochProof } from "../../../src/l1/prove/epoch-submission.ts";
import type { RollupStatus } from "../../../src/l1/types.ts";

const archive = (byte: number) => new Uint8Array(32).fill(byte);
const PROOF = { start: 3, end: 4, previousArchive: archive(2), endArchive: archive(4) } as EpochProof;
const INPUTS = [archive(7), archive(8)];
const REVERTED = new ContractRevertError(
  { errorName: "Rollup__InvalidPreviousArchive", args: [], data: undefined, message: "reverted" },
  {},
);

/** L1 with a block more at each look, which refuses the arguments in as many looks as are given. */
function l1(refusals: number) {
  let [height, refused] = [100, 0];
  const askedAt: number[] = [];
  return {
    askedAt,
    parts: {
      reader: {
        latestBlock: async () => ({ number: height++, hash: archive(height), timestamp: height }),
        status: async (checkpoint: number) =>
          ({
            provenCheckpointNumber: 2,
            pendingCheckpointNumber: 4,
            archiveOfMyCheckpoint: archive(checkpoint),
          }) as RollupStatus,
      },
      proofs: {
        publicInputs: async (_: EpochProof, at: number) => {
          askedAt.push(at);
          if (refused++ < refusals) throw REVERTED;
          return INPUTS;
        },
      },
    },
  };
}

test("a proof whose arguments L1 refuses while its state changes is compared again, as of one block each time", async () => {
  const { parts, askedAt } = l1(1);
  expect(await submissionFault(parts, PROOF, INPUTS)).toBeUndefined();
  expect(askedAt).toEqual([100, 101]);
});

test("a proof whose arguments L1 keeps refusing is wrong", async () => {
  const { parts } = l1(Number.POSITIVE_INFINITY);
  expect(await submissionFault(parts, PROOF, INPUTS)).toEqual({
    kind: "wrong",
    reason:
      "the proof of checkpoints 3 to 4 is not submitted: L1 refuses its arguments: reverted: Rollup__InvalidPreviousArchive",
  });
});

test("a proof with another public input than L1 expects is wrong, and the input is named", async () => {
  const fault = await submissionFault(l1(0).parts, PROOF, [INPUTS[0], archive(9)]);
  expect(fault?.kind).toBe("wrong");
  expect(fault?.reason).toContain("public input 1 (archive after the epoch)");
});
