import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../../src/protocol/checkpoint-header.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { inThisThread, SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import { decode, fieldsOf } from "../../../src/prover/codec/codec.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { EpochProof } from "../../../src/prover/epoch/epoch-types.ts";
import type { JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import { inputForm } from "../../../src/prover/jobs/job-input.ts";
import { decodeOutput, type OutputBytes, outputForm } from "../../../src/prover/jobs/job-output.ts";
import { binaryTypeOf } from "../../../src/prover/jobs/job-result.ts";
import { MadeChain } from "../../world/prover/made-chain.ts";
import { jobDigest, madeEpochs, RECORDED_EPOCHS } from "../../world/prover/made-epochs.ts";

/** What the published circuits of v5 returned, written by test/prover/live/v5-circuits.ts. */
const RECORDED = readFileSync(new URL("../../fixtures/v5/circuit-outputs.txt", import.meta.url), "utf8");

/** L1 makes these words of what a proof states from the headers that it is given. */
function expectHeaders({ headers, publicInputs }: EpochProof): void {
  const words = (at: number, count: number) => publicInputs.slice(at, at + count).map(toHex);
  const { accumulatedFeesAt: fees } = V5.headers;
  expect(words(3, headers.length)).toEqual(headers.map((header) => toHex(checkpointHash(header))));
  expect(words(35, 2 * headers.length)).toEqual(
    headers.flatMap((header) => [
      toHex(concat(new Uint8Array(12), header.subarray(CHECKPOINT_AT.coinbase, CHECKPOINT_AT.feeRecipient))),
      toHex(header.subarray(fees, fees! + 32)),
    ]),
  );
}

test("checkpoints of v5 that the builder makes are proven as the published circuits compute them", async () => {
  const core = loadCore();
  const context = { core, generation: V5 };
  const prover = new SimulatedProver(inThisThread(context), { kind: "fixed", ms: 0 });
  const digests = new Set<string>();
  const runner: JobRunner = {
    async run({ type, input }, signal) {
      const bytes = input();
      const result = await prover.prove({ type, input: bytes }, signal);
      const name = binaryTypeOf(type);
      if (name === undefined) return result;
      const form = inputForm(V5, name);
      const inputs = fieldsOf(form, decode(form, name, bytes));
      const { publicInputs } = decodeOutput(V5, name, result as OutputBytes);
      digests.add(jobDigest(name, inputs, fieldsOf(outputForm(V5, name).publicInputs, publicInputs)));
      return result;
    },
  };
  const chain = new MadeChain(core, V5);
  try {
    const epochs = madeEpochs(10);
    expect(epochs).toHaveLength(RECORDED_EPOCHS);
    for (const [number, checkpoints] of epochs.entries()) {
      const epoch = new EpochProver({ core, generation: V5, runner, kzg: chain.kzg }, chain.terms(number));
      for (const checkpoint of checkpoints) await chain.add(epoch, number, checkpoint);
      expectHeaders(await epoch.prove());
    }
  } finally {
    await chain.close();
  }
  expect([...digests].sort()).toEqual(RECORDED.trimEnd().split("\n"));
});
