import { afterAll, beforeAll, expect, test } from "vitest";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { recordedSubmissions, startThreeEpochs, type ThreeEpochs } from "../../world/prover/three-epochs.ts";
import { until } from "../../world/sequencer/proposing-node.ts";
import { BucketServer } from "../../world/storage/bucket-server.ts";
import { requireSignature } from "../../world/storage/s3-signature-check.ts";
import { type LogLine, type ProvingNode, startProvingNode } from "./proving-node.ts";

const AWS = { AWS_ACCESS_KEY_ID: "the id", AWS_SECRET_ACCESS_KEY: "the secret" };

class FirstOpeningFails extends Kzg {
  #openings = 0;

  override async open(...asked: Parameters<Kzg["open"]>): ReturnType<Kzg["open"]> {
    if (this.#openings++ === 0) throw new Error("the first opening fails");
    return super.open(...asked);
  }
}

let l1: ThreeEpochs;
let node: ProvingNode;
let bucket: BucketServer;
const kzg = new FirstOpeningFails();

const failedEpochs = () => ({
  PROVER_NODE_FAILED_EPOCH_STORE: `s3://epochs/failed?endpoint=${bucket.url}`,
  ...AWS,
});

beforeAll(async () => {
  bucket = await BucketServer.start();
  bucket.intercept = requireSignature(AWS.AWS_SECRET_ACCESS_KEY);
  l1 = await startThreeEpochs();
  node = await startProvingNode(l1, { kzg, environment: failedEpochs() });
});

afterAll(async () => {
  await node?.stop();
  await kzg.close();
  await l1?.stop();
  await bucket?.close();
});

test("a node with a prover on an L1 with three unproven epochs proves all of them, in order, on L1, also the one that fails at first", async () => {
  const { reader } = node.parts;
  const proven = async () => reader.provenCheckpointNumber((await reader.latestBlock()).number);
  await until(async () => (await proven()) === 64);
  // The node sees its last transaction on L1 some time after the test does.
  await until(async () => node.submitted().length >= 3);
  // A transaction may be seen after the one that followed it: the order is that of L1's blocks.
  const submitted = (node.submitted() as (LogLine & { l1BlockNumber: number })[]).sort(
    (a, b) => a.l1BlockNumber - b.l1BlockNumber,
  );
  expect(submitted.map(({ epoch }) => epoch)).toEqual([23, 24, 25]);
  const calldata = await Promise.all(
    submitted.map(async ({ txHash }) => {
      const body = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionByHash", params: [txHash] };
      const answer = await fetch(l1.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return ((await answer.json()) as { result: { input: string } }).result.input;
    }),
  );
  const recorded = recordedSubmissions().filter(({ epoch }) => epoch >= 23);
  expect([calldata[0], calldata[2]]).toEqual(recorded.map((each) => each.calldata));
  expect(node.log.filter(({ msg }) => msg.startsWith("proving epoch {epoch} ended as"))).toHaveLength(1);
}, 240_000);

test("a node with a prover on an L1 with three unproven epochs has uploaded the epoch that failed, which svc prove-failed-epoch proves without the node and L1", async () => {
  const uploaded = () => node.log.find(({ msg }) => msg.startsWith("failed epoch {epoch} is uploaded"));
  await until(async () => uploaded() !== undefined);
  const { epoch, folder } = uploaded() as LogLine & { epoch: number; folder: string };
  const failure = node.log.find(({ msg }) => msg.startsWith("proving epoch {epoch} ended as"));
  expect(failure).toMatchObject({ epoch, reason: expect.stringContaining("the first opening fails") });
  const environment = { PROVER_REAL_PROOFS: "false", LOG_LEVEL: "silent", ...failedEpochs() };
  const ended = await runSvc(["prove-failed-epoch", folder], environment);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const checkpoints = node.parts.chain.checkpointsOfEpoch(epoch);
  const [first, last] = [checkpoints[0], checkpoints[checkpoints.length - 1]];
  expect(JSON.parse(ended.stdout)).toMatchObject({
    ...{ epoch, start: first.number, end: last.number, endArchive: toHex(last.archiveRoot) },
    failedBefore: failure?.reason,
  });
}, 240_000);
