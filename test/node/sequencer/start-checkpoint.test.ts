import { expect, test } from "vitest";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { type CheckpointSource, startCheckpoint } from "../../../src/node/sequencer/start-checkpoint.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { TERMS } from "../../world/checkpoints/funded-builder.ts";
import { core, forkOf, hashed, sourceOf, txOf, VECTORS } from "../../world/execution/avm-vectors.ts";

test.each([
  ["a real network", undefined],
  ["a local network", () => undefined],
])("a proposer of %s includes a transaction whose teardown reverts, with revert code 1", async (_, built) => {
  const given = VECTORS.txCases.find((each) => each.expect.revertCode === 2 && !each.expect.unprocessable)!;
  const services = {
    ...{ core, generation: V4, siloing: new Siloing(core, V4), vm: new Vm(V4) },
    world: { fork: () => forkOf(given) },
    contracts: sourceOf(given.contracts),
    kzg: { commitment: async () => new Uint8Array(48) },
  };
  // The checks of the pool are not part of this.
  const mempool = {} as CheckpointSource["mempool"];
  const source = { mempool: { ...mempool, pool: { summary: () => undefined } }, built };
  const checkpoint = await startCheckpoint(services, source, TERMS, [], []);
  const { block, processed } = await checkpoint.buildBlock([hashed(txOf(given))], { minValidTxs: 0 });
  expect(processed.map(({ effect }) => effect.revertCode)).toEqual([1]);
  expect(block?.txs.map(({ revertCode }) => revertCode)).toEqual([1]);
});
