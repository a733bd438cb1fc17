import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import type { ReceivedProposal } from "../../../src/checkpoints/proposals/block-proposal-check.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { toHex, writeU32, writeUint } from "../../../src/protocol/bytes.ts";
import { inHash } from "../../../src/protocol/sha-trees.ts";
import { type L1Recording, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { recordedBlocks } from "../../world/archiver/recorded-node.ts";
import {
  clock,
  type ProposingNode,
  proposalOf,
  proposingNode,
  recordedTx,
  type TestProposal,
} from "../../world/checkpoints/proposing-node.ts";

const core = loadCore();
const CHECKPOINT = 12;
let recording: L1Recording;
let recorded: ProposedBlock[][];
const open: ProposingNode[] = [];

beforeAll(async () => {
  recording = await readRecordedL1();
  recorded = await recordedBlocks(core, recording);
});
afterEach(async () => {
  for (const node of open.splice(0)) await node.remove();
});

async function node(): Promise<ProposingNode> {
  const opened = await proposingNode(core, recording, CHECKPOINT);
  open.push(opened);
  return opened;
}

const txsOf = (checkpoint: number) => recorded[checkpoint - 1][0].txs.map(({ txHash }) => recordedTx(txHash)!);

/** The recorded block of the checkpoint, as its proposer offered it. */
function recordedProposal({ parts }: ProposingNode): TestProposal {
  return proposalOf(recorded[CHECKPOINT - 1][0], inHash(parts.messages(CHECKPOINT)));
}

const received = (proposal: TestProposal, brokenRule?: string): ReceivedProposal => ({
  proposal,
  txHashes: proposal.txHashes,
  peer: undefined,
  embedded: [],
  brokenRule: async () => brokenRule,
});

/** A proposal with a changed header. */
function withHeader(proposal: TestProposal, change: (header: Uint8Array) => void): TestProposal {
  const header = Uint8Array.from(proposal.header);
  change(header);
  return { ...proposal, header };
}

/** A proposal with one changed bit in its header. */
function flipped(proposal: TestProposal, at: number): TestProposal {
  return withHeader(proposal, (header) => {
    header[at] ^= 1;
  });
}

describe("a proposal of a recorded block", () => {
  test("a proposal of a recorded block executes to that block and becomes the node's proposed tip", async () => {
    const own = await node();
    const verdict = await own.check().check(received(recordedProposal(own)));
    const [expected] = recorded[CHECKPOINT - 1];
    expect(verdict).toMatchObject({ valid: true, block: { record: expected.record } });
    const { chain } = own;
    expect(chain.latestBlockNumber()).toBe(chain.checkpointedBlockNumber() + 1);
    expect(toHex(chain.block(chain.latestBlockNumber())!.hash)).toBe(toHex(expected.record.hash));
    expect(chain.holds(expected)).toBe(true);
    // Its checkpoint arrives with exactly this block.
    own.l1.height++;
    await own.synchronizer.syncOnce();
    expect([chain.checkpointedBlockNumber(), own.l1.fetched]).toEqual([expected.record.number, CHECKPOINT - 1]);
  });

  test("a block proposal is accepted without execution by a node that does not execute blocks", async () => {
    const own = await node();
    const before = own.chain.latestBlockNumber();
    const verdict = await own.check({}, { reexecutes: () => false }).check(received(recordedProposal(own)));
    expect(verdict).toEqual({ valid: true, block: undefined });
    expect(own.chain.latestBlockNumber()).toBe(before);
  });

  test("a block proposal is not added to the chain of a node that stores no proposed blocks", async () => {
    const own = await node();
    const before = own.chain.latestBlockNumber();
    const verdict = await own.check({}, { stores: false }).check(received(recordedProposal(own)));
    expect(verdict).toMatchObject({ valid: true, block: {} });
    expect(own.chain.latestBlockNumber()).toBe(before);
  });
});

describe("proposals of several blocks of a checkpoint", () => {
  test("proposals of a checkpoint's blocks execute one after the other, also when they arrive in the wrong order", async () => {
    const own = await node();
    const proposals = await own.proposals([txsOf(12), txsOf(13), txsOf(14)]);
    expect(proposals.map(({ indexWithinCheckpoint }) => indexWithinCheckpoint)).toEqual([0, 1, 2]);
    const check = own.check();
    const verdicts = await Promise.all([...proposals].reverse().map((proposal) => check.check(received(proposal))));
    const roots = verdicts.map((verdict) =>
      verdict.valid ? toHex(verdict.block!.record.archiveRoot) : verdict.reason,
    );
    expect(roots).toEqual([...proposals].reverse().map(({ archiveRoot }) => toHex(archiveRoot)));
    expect(own.chain.latestBlockNumber()).toBe(own.chain.checkpointedBlockNumber() + 3);
    expect(own.world.status().tip).toBe(own.chain.latestBlockNumber());
  });

  test("proposals of a checkpoint's blocks must share their global variables", async () => {
    const own = await node();
    const [first, second] = await own.proposals([txsOf(12), txsOf(13)]);
    const check = own.check();
    expect(await check.check(received(first))).toMatchObject({ valid: true });
    for (const at of [HEADER_AT.chainId, HEADER_AT.coinbase, HEADER_AT.feeRecipient, HEADER_AT.feePerL2Gas]) {
      const other = flipped(second, at + 3);
      expect(await check.check(received(other))).toMatchObject({ valid: false, fault: "global_variables_mismatch" });
    }
    expect(await check.check(received(second))).toMatchObject({ valid: true });
  });
});

describe("refused block proposals", () => {
  let own: ProposingNode;
  let good: TestProposal;
  const late = () => ({ now: clock(own.deadline - 200) });
  const faultOf = async (
    proposal: TestProposal,
    changes: Parameters<ProposingNode["check"]>[0] = {},
    options: Parameters<ProposingNode["check"]>[1] = {},
  ) => {
    const before = own.chain.latestBlockNumber();
    const verdict = await own.check(changes, options).check(received(proposal));
    expect(own.chain.latestBlockNumber()).toBe(before);
    return verdict.valid ? "valid" : verdict.fault;
  };
  const prepared = async () => {
    own = await node();
    good = recordedProposal(own);
  };

  test("a block proposal that failed a check on arrival is refused as invalid_proposal", async () => {
    await prepared();
    const verdict = await own.check().check(received(good, "its sender is not the proposer of its slot"));
    expect(verdict).toMatchObject({
      valid: false,
      fault: "invalid_proposal",
      reason: expect.stringContaining("not the proposer"),
    });
  });

  test("a block proposal with another timestamp than its slot's is refused as invalid_proposal", async () => {
    await prepared();
    const wrong = withHeader(good, (header) => writeUint(header, HEADER_AT.timestamp, 6, 2 ** 47));
    expect(await faultOf(wrong)).toBe("invalid_proposal");
  });

  test("a block proposal with more txs than fit a checkpoint is refused as invalid_proposal", async () => {
    await prepared();
    const txHashes = Array.from({ length: 4097 }, () => new Uint8Array(32));
    expect(await faultOf({ ...good, txHashes })).toBe("invalid_proposal");
  });

  test("a block proposal during an open escape hatch is refused as invalid_proposal, after its txs were collected", async () => {
    await prepared();
    let collected = 0;
    const txs: typeof own.parts.txs = {
      get: (wanted) => {
        collected++;
        return own.parts.txs.get(wanted);
      },
    };
    expect(await faultOf(good, { hatchOpen: async () => true, txs })).toBe("invalid_proposal");
    expect(collected).toBe(1);
  });

  test("a block proposal at a wrong index is refused as invalid_proposal", async () => {
    await prepared();
    expect(await faultOf({ ...good, indexWithinCheckpoint: 1 })).toBe("invalid_proposal");
    expect(await faultOf({ ...good, indexWithinCheckpoint: 7 })).toBe("invalid_proposal");
  });

  test("a block proposal is refused as block_source_not_synced while L1 was not read up to its slot", async () => {
    await prepared();
    const sync = { ...own.parts.sync, syncedSlot: () => 0 };
    expect(await faultOf(good, { sync, ...late() })).toBe("block_source_not_synced");
  });

  test("a block proposal with an unknown last archive is refused as parent_block_not_found", async () => {
    await prepared();
    const orphan = flipped(good, 5);
    expect(await faultOf(orphan, late())).toBe("parent_block_not_found");
  });

  test("a block proposal on a parent of a later slot is refused as parent_block_wrong_slot", async () => {
    await prepared();
    const { constants } = own.parts;
    const early = withHeader(good, (header) => {
      writeU32(header, HEADER_AT.slotNumber, 1);
      writeUint(header, HEADER_AT.timestamp + 2, 6, constants.l1GenesisTime + constants.slotDuration);
    });
    expect(await faultOf(early)).toBe("parent_block_wrong_slot");
  });

  test("a block proposal is refused as block_number_already_exists if the chain has a block there", async () => {
    await prepared();
    await own.synchronizer.addProposedBlock(recorded[CHECKPOINT - 1][0]);
    expect(await faultOf(good)).toBe("block_number_already_exists");
  });

  test("a block proposal is refused as block_number_already_exists if another block is stored during its execution", async () => {
    await prepared();
    const { synchronizer, chain } = own;
    const before = chain.latestBlockNumber();
    const sync = {
      ...own.parts.sync,
      async addProposedBlock(block: ProposedBlock) {
        await synchronizer.addProposedBlock(recorded[CHECKPOINT - 1][0]);
        await synchronizer.addProposedBlock(block);
      },
    };
    expect(await own.check({ sync }).check(received(good))).toMatchObject({ fault: "block_number_already_exists" });
    expect(chain.latestBlockNumber()).toBe(before + 1);
  });

  test("a block proposal with other messages than L1's is refused as in_hash_mismatch", async () => {
    await prepared();
    expect(await faultOf({ ...good, inHash: new Uint8Array(32).fill(1) })).toBe("in_hash_mismatch");
  });

  test("a block proposal is refused as txs_not_available if a tx cannot be found", async () => {
    await prepared();
    const txHashes = [...good.txHashes, new Uint8Array(32).fill(3)];
    expect(await faultOf({ ...good, txHashes })).toBe("txs_not_available");
  });

  test("a block proposal is refused as initial_state_mismatch if the state is not that after its parent", async () => {
    await prepared();
    const { build } = own.parts;
    const world = {
      fork: (block?: number) => {
        const fork = build.world.fork(block);
        fork.append(4, [new Uint8Array(32).fill(1)]);
        return fork;
      },
    };
    expect(await faultOf(good, { build: { ...build, world } })).toBe("initial_state_mismatch");
  });

  test("a block proposal is refused as failed_txs if a tx breaks a rule of blocks", async () => {
    await prepared();
    const invalid = { txRules: () => () => ({ result: "invalid" as const, reason: ["Existing nullifier"] }) };
    expect(await faultOf(good, invalid)).toBe("failed_txs");
    const twice = { ...good, txHashes: [good.txHashes[0], good.txHashes[0]] };
    expect(await faultOf(twice)).toBe("failed_txs");
  });

  test("a block proposal is refused as timeout if not every tx was executed by the end of its slot", async () => {
    await prepared();
    expect(await faultOf(good, { now: clock(own.deadline + 1000) })).toBe("timeout");
    const skipped = { txRules: () => () => ({ result: "skipped" as const, reason: ["Insufficient fee per gas"] }) };
    expect(await faultOf(good, skipped)).toBe("timeout");
  });

  test("a block proposal is refused as state_mismatch if its header or archive is not what execution gives", async () => {
    await prepared();
    for (const at of [
      HEADER_AT.l1ToL2MessageTree,
      HEADER_AT.noteHashTree,
      HEADER_AT.nullifierTree + 35,
      HEADER_AT.publicDataTree,
      HEADER_AT.spongeBlobHash,
      HEADER_AT.blockNumber + 3,
      HEADER_AT.totalFees + 31,
      HEADER_AT.totalManaUsed + 31,
    ]) {
      const wrong = flipped(good, at);
      expect(await faultOf(wrong), `byte ${at}`).toBe("state_mismatch");
    }
    expect(await faultOf({ ...good, archiveRoot: new Uint8Array(32).fill(2) })).toBe("state_mismatch");
    expect(await faultOf({ ...good, txHashes: [] })).toBe("state_mismatch");
    const otherChain = flipped(good, HEADER_AT.chainId + 31);
    expect(await faultOf(otherChain)).toBe("state_mismatch");
  });

  test("a block proposal is refused as unknown_error if this node fails, not the proposal", async () => {
    await prepared();
    const txRules = () => () => {
      throw new Error("disk");
    };
    expect(await faultOf(good, { txRules })).toBe("unknown_error");
    const [first, empty] = await own.proposals([txsOf(12), txsOf(13)]);
    await own.check().check(received(first));
    // A later block of a checkpoint is never empty.
    expect(await faultOf({ ...empty, txHashes: [] })).toBe("invalid_proposal");
  });
});

describe("a check of proposals", () => {
  test("a check of block proposals that is stopped executes no further transactions", async () => {
    const own = await node();
    const [proposal] = await own.proposals([[...txsOf(12), ...txsOf(13), ...txsOf(14)]]);
    let executed = 0;
    const check = own.check({
      txRules: () => () => {
        if (++executed === 2) check.stop();
        return { result: "valid" };
      },
    });
    expect(await check.check(received(proposal))).toMatchObject({ valid: false, fault: "timeout" });
    expect([executed, proposal.txHashes.length]).toEqual([2, 3]);
  });

  test("a check of block proposals accepts a bounded number per slot, and ends at once when it is stopped", async () => {
    const own = await node();
    const good = recordedProposal(own);
    let pokes = 0;
    const sync = { ...own.parts.sync, poke: () => void pokes++ };
    const check = own.check({ sync });
    const orphans = Array.from({ length: 40 }, (_, i) => withHeader(good, (header) => writeU32(header, 4, i + 1)));
    const waiting = orphans.map((proposal) => check.check(received(proposal)));
    const [, refusal] = await Promise.all([new Promise((resolve) => setTimeout(resolve, 50)), waiting[39]]);
    expect(refusal).toMatchObject({ valid: false, fault: "unknown_error" });
    // One for all of them in half a second.
    expect(pokes).toBeLessThan(20);
    check.stop();
    const faults = (await Promise.all(waiting)).map((verdict) => (verdict.valid ? "" : verdict.fault));
    expect(faults.filter((fault) => fault === "parent_block_not_found").length).toBe(32);
  });
});
