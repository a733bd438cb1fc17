import { expect, test } from "vitest";
import type { CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { unprovableTx } from "../../../src/prover/node/unprovable-tx.ts";
import { settledTx } from "../../world/rpc/fakes.ts";

test("only a revert code that no circuit computes keeps a checkpoint from being proven", () => {
  const chain = (codes: readonly number[]) => ({
    txEffects: (block: number) =>
      codes.slice(block - 5, block - 4).map((revertCode) => settledTx({ revertCode }).effect),
  });
  const checkpoint = { startBlock: 5, blockCount: 3 } as CheckpointRecord;
  expect(unprovableTx(chain([0, 1, 1]), checkpoint)).toBeUndefined();
  expect(unprovableTx(chain([0, 1, 2]), checkpoint)).toMatch(/of block 7 has revert code 2/);
  expect(unprovableTx(chain([3, 0, 0]), checkpoint)).toMatch(/of block 5 has revert code 3/);
  expect(unprovableTx(chain([0, 0, 0, 2]), checkpoint)).toBeUndefined();
});
