import { expect, test } from "vitest";
import { LIES } from "../../world/l1/lies.ts";
import { startRecordedL1 } from "../../world/node/recorded-node.ts";
import { failingFirst } from "./failing-first.ts";
import "../../support/soak.ts";

const LIMIT_MS = 60_000;

test("a node whose first L1 endpoint never answers starts, follows L1 and gives fees", {
  timeout: 8 * LIMIT_MS,
}, async () => {
  const { lie } = LIES.find(({ name }) => name === "never answers")!;
  const l1 = await startRecordedL1();
  try {
    const { port, ready, firstBlock, laterBlock, failedFees } = await failingFirst(lie, l1, {
      limitMs: LIMIT_MS,
      startOnly: true,
    });
    for (const seconds of [port, ready, firstBlock, laterBlock]) expect(seconds).toBeDefined();
    expect(failedFees).toBe(0);
  } finally {
    l1.stop();
  }
});
