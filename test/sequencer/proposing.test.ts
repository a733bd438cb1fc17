import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlledL1, PUBLISHER_KEY } from "./l1-control.ts";
import { Traffic } from "./pool-traffic.ts";
import { ProposingNode, until } from "./proposing-node.ts";

describe("a sequencer on the recorded chain", () => {
  let l1: ControlledL1;
  let node: ProposingNode;
  let traffic: Traffic;

  beforeAll(async () => {
    l1 = await ControlledL1.start();
    traffic = new Traffic();
    node = await ProposingNode.start(l1, { SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY });
  });
  afterAll(async () => {
    await node?.remove();
    l1?.stop();
  });

  it("proposes a checkpoint with the txs of its pool", async () => {
    const { chain } = node.parts;
    const before = chain.latestCheckpointNumber();
    const slot = await node.nextSlot();
    const hash = await traffic.send(node);
    await until(() => chain.latestCheckpointNumber() > before);
    expect(node.sequencer.status().lastPublished).toMatchObject({ slot, checkpointNumber: before + 1, txs: 1 });
    expect(await node.rpc("node_getTxReceipt", [hash])).toMatchObject({ executionResult: "success" });
  });
});
