import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import { call } from "../../world/live/json-rpc.ts";
import {
  PROVER_KEY,
  recordedSubmissions,
  startThreeEpochs,
  type ThreeEpochs,
} from "../../world/prover/three-epochs.ts";
import { until } from "../../world/sequencer/proposing-node.ts";
import { type ProvingNode, startProvingNode } from "./proving-node.ts";

const LIMIT_MS = 300_000;
/** Topic of L2ProofVerified(uint256 indexed, address indexed). */
const PROOF_VERIFIED = "0x034dd13d657aeb14f8dec7291c4a8ddb3b20d40cf2412714e72f97f19c735609";
/** Last checkpoints of epochs 22 to 25. */
const [PROVEN_BEFORE, END_23, END_24, END_25] = [52, 56, 60, 64];
const RECORDED_23 = recordedSubmissions().find(({ epoch }) => epoch === 23)?.calldata as string;
/** Selector of prune(). */
const PRUNE = "0x9f2b3154";
const RECORDED_PROVER = new LocalSigner(PROVER_KEY).address;
const OTHER_KEY = bigUintBytes(7301n, 32);
const OTHER_PROVER = new LocalSigner(OTHER_KEY).address;

let l1: ThreeEpochs;
let node: ProvingNode;
const start = async () => {
  l1 = await startThreeEpochs();
  // The node begins, and waits for transactions.
  const environment = { PROVER_PUBLISHER_PRIVATE_KEY: toHex(OTHER_KEY) };
  await call(l1.url, "anvil_setBalance", OTHER_PROVER, "0x56bc75e2d63100000");
  node = await startProvingNode(l1, { environment, holdsTxs: true });
  await until(() => node.log.filter(({ msg }) => msg.startsWith("began to prove")).length === 2);
};
const stop = async () => {
  await node?.stop();
  await l1?.stop();
};

/** Checkpoint and prover of each proof that L1 has accepted. */
async function proofs(): Promise<[checkpoint: number, prover: string][]> {
  const filter = { address: l1.rollupAddress, topics: [PROOF_VERIFIED], fromBlock: "0x0" };
  const logs = (await call(l1.url, "eth_getLogs", filter)) as { topics: string[] }[];
  const made = logs.map(({ topics }): [number, string] => [Number(topics[1]), `0x${topics[2].slice(26)}`]);
  return made.filter(([checkpoint]) => checkpoint > PROVEN_BEFORE);
}

async function send(data: string): Promise<void> {
  const [from] = (await call(l1.url, "eth_accounts")) as string[];
  await call(l1.url, "eth_sendTransaction", { from, to: l1.rollupAddress, data, gas: "0x1e8480" });
}

describe("a prover node", () => {
  beforeAll(start, LIMIT_MS);
  afterAll(stop);
  const submitted = (epoch: number) => node.submitted().filter((line) => line.epoch === epoch);

  test(
    "goes on when another prover proves the epoch that it works on",
    async () => {
      await send(RECORDED_23);
      await until(async () => (await proofs()).length === 1);
      node.txs.release();
      await until(() => submitted(25).length === 1);
      const own = (await proofs()).filter(([checkpoint]) => checkpoint > END_23);
      expect(own).toEqual([
        [END_24, OTHER_PROVER],
        [END_25, OTHER_PROVER],
      ]);
      expect((await proofs())[0]).toEqual([END_23, RECORDED_PROVER]);
    },
    LIMIT_MS,
  );

  test(
    "proves an epoch again whose proof a reorganization of L1 takes away",
    async () => {
      const [{ txHash }] = submitted(25);
      const { blockNumber } = (await call(l1.url, "eth_getTransactionReceipt", txHash)) as { blockNumber: string };
      const latest = Number(await call(l1.url, "eth_blockNumber"));
      await call(l1.url, "anvil_rollback", latest - Number(blockNumber) + 1);
      expect((await proofs()).map(([checkpoint]) => checkpoint)).not.toContain(END_25);
      await call(l1.url, "anvil_mine", "0x8");
      await until(() => submitted(25).length === 2);
      expect((await proofs()).at(-1)).toEqual([END_25, OTHER_PROVER]);
    },
    LIMIT_MS,
  );
});

describe("a prover node without the transactions", () => {
  beforeAll(start, LIMIT_MS);
  afterAll(stop);

  test(
    "gives epochs up at their deadlines, and follows L1 when it prunes them",
    async () => {
      const { parts, log } = node;
      const { epochDuration, slotDuration, proofSubmissionEpochs } = parts.reader.identity.constants;
      const later = l1.timestamp + epochDuration * slotDuration * (proofSubmissionEpochs + 2);
      await until(() => log.filter(({ msg }) => msg === "began to prove epoch {epoch}").length >= 2);
      // The clock first: L1 prunes the epochs with its first block after their deadlines.
      parts.clock.set(later * 1000);
      await until(() => log.filter(({ status }) => status === "timed-out").length >= 2);
      await call(l1.url, "evm_setNextBlockTimestamp", later);
      await call(l1.url, "evm_mine");
      await send(PRUNE);
      await until(() => parts.chain.latestCheckpointNumber() === PROVEN_BEFORE);
      const ended = log
        .filter(({ msg }) => msg.startsWith("proving epoch {epoch} ended as"))
        .map(({ reason }) => reason);
      expect(ended).toEqual([
        "the deadline for a proof of epoch 23 has passed",
        "the deadline for a proof of epoch 24 has passed",
      ]);
      expect(await proofs()).toEqual([]);
    },
    LIMIT_MS,
  );
});
