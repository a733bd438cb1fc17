import { afterEach, beforeAll, expect, test } from "vitest";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { DigestPool } from "../../../src/mempool/digest/digest-pool.ts";
import { storedChainView } from "../../../src/mempool/pool/stored-chain-view.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { ACCEPT_ANY_PROOF } from "../../../src/mempool/proofs/proof-verifier.ts";
import { CheckContexts } from "../../../src/mempool/validation/check-contexts.ts";
import { CommittedStates } from "../../../src/mempool/validation/committed-state.ts";
import { TxValidator } from "../../../src/mempool/validation/tx-validator.ts";
import type { ChainContext } from "../../../src/node/context/chain-context.ts";
import { proposedBlocks } from "../../../src/node/peers/proposed-blocks.ts";
import { BlockProposalHandler } from "../../../src/p2p/proposals/block-proposal-handler.ts";
import { blockTxsHandler } from "../../../src/p2p/reqresp/handlers/block-txs.ts";
import { requestPeers } from "../../../src/p2p/tx-collection/request-peers.ts";
import { TxCollection } from "../../../src/p2p/tx-collection/tx-collection.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { type BlockProposal, blockProposalPayload } from "../../../src/protocol/consensus/block-proposal.ts";
import { manaFees } from "../../../src/protocol/fees/gas-fees.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { inHash } from "../../../src/protocol/sha-trees.ts";
import { txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { type L1Recording, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { recordedBlocks } from "../../world/archiver/recorded-node.ts";
import { type ProposingNode, proposalOf, proposingNode, recordedTx } from "../../world/checkpoints/proposing-node.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { addressOf, committeeOf, signPayload } from "../../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { UNMEASURED } from "../../world/telemetry/unmeasured.ts";
import { OPTIONS } from "../support/collecting.ts";
import { connect, stopPeers, testPeer } from "./hosts.ts";

const core = loadCore();
const CHECKPOINT = 12;
const KEY = new Uint8Array(32).fill(5);
let recording: L1Recording;
let recorded: ProposedBlock[][];
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  recording = await readRecordedL1();
  recorded = await recordedBlocks(core, recording);
});
afterEach(async () => {
  await stopPeers();
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** The recorded block of the checkpoint, signed by KEY. */
async function signedProposal({ parts }: ProposingNode): Promise<BlockProposal> {
  const { txHashes, ...head } = proposalOf(recorded[CHECKPOINT - 1][0], inHash(parts.messages(CHECKPOINT)));
  const unsigned = { ...head, txHashes: concat(...txHashes), signedTxs: undefined };
  return { ...unsigned, signature: await signPayload(KEY, blockProposalPayload(unsigned, V4_ROLLUP)) };
}

/** Pool, collection and handler of a node on the recorded chain, connected to a peer that has the recorded txs. */
async function receivingNode() {
  const chainNode = await proposingNode(core, recording, CHECKPOINT);
  cleanups.push(() => chainNode.remove());
  const { chain, store, world, synchronizer } = chainNode;
  const { identity } = recording;
  const { constants } = identity;
  const now = chainNode.parts.now;
  const content = new ContentStore({ store, chain });
  const states = new CommittedStates(core, world, V4.contracts);
  const fees = { currentMinFees: async () => manaFees(0n) };
  const contexts = new CheckContexts(
    { chain, content, states, identity, generation: V4, fees, now: () => now() / 1000 },
    { permitted: true, setupAllowList: [], validatorGasLimits: {} },
  );
  const pool = new TxPool(
    new MemoryStore(),
    storedChainView({ content, contexts, states, knownMinFees: () => undefined, now }),
    {
      rules: V4,
      maxPending: 100,
      archived: 0,
      deleteAfterReorg: false,
    },
  );
  const digests = new DigestPool({ generation: V4, threads: 1 });
  cleanups.push(() => digests.close());
  const validator = new TxValidator({ digests, contexts, proofs: ACCEPT_ANY_PROOF });

  const own = await testPeer();
  const bodies = (hash: Uint8Array) => {
    const found = recordedTx(hash);
    return found && txToBytes(hash, found.tx);
  };
  const served = { txBytes: bodies, hasTx: (hash: Uint8Array) => bodies(hash) !== undefined };
  const peer = await testPeer({ block_txs: blockTxsHandler(served, { txHashesOf: () => undefined }) });
  await connect(own, peer);
  const collection = new TxCollection(
    {
      pool,
      validator,
      client: own.client,
      peers: requestPeers({
        connected: () => own.host.getPeers().map((id) => id.toString()),
        openRequests: (id) => own.client.openRequests(id),
      }),
      penalties: { penalize: () => {} },
      transactions: V4.transactions,
      nodes: [],
      fileStores: [],
      now,
      logger: silentLogger,
    },
    OPTIONS,
  );
  cleanups.push(() => collection.stop());
  const proposer = addressOf(KEY);
  const committees = { at: committeeOf([proposer], proposer) };
  const metrics = new Metrics(() => {});
  const context = { core, store, chain, world, reader: { identity }, synchronizer, clock: { now }, metrics };
  const check = proposedBlocks(context as unknown as ChainContext, {
    mempool: { pool, contexts },
    committees,
    txs: collection.provider,
    limits: {},
    settings: { storesProposedBlocks: true },
    reexecutes: () => true,
  });
  cleanups.push(async () => check.stop());
  const handlerParts = {
    ...{ rollup: V4_ROLLUP, check, txPool: pool, committees, times: constants },
    ...{ dutyTimes: UNMEASURED, now, logger: silentLogger },
  };
  return { chainNode, chain, pool, handlerParts, handler: new BlockProposalHandler(handlerParts), peer };
}

test("a gossiped proposal's txs come from a peer, the block is executed and becomes the node's tip", async () => {
  const { chainNode, chain, pool, handler, peer } = await receivingNode();
  const proposal = await signedProposal(chainNode);
  const [expected] = recorded[CHECKPOINT - 1];
  const verdict = await handler.handle(proposal, peer.id);
  expect(verdict).toMatchObject({ valid: true });
  expect(toHex(chain.block(chain.latestBlockNumber())!.hash)).toBe(toHex(expected.record.hash));
  expect(chain.latestBlockNumber()).toBe(chain.checkpointedBlockNumber() + 1);
  const states = expected.txs.map(({ txHash }) => pool.status(txHash));
  expect(new Set(states)).toEqual(new Set(["protected"]));
});

test("a proposal of somebody else than the slot's proposer is refused before anything is collected", async () => {
  const { chainNode, chain, handler, peer } = await receivingNode();
  const { signature: _, ...unsigned } = await signedProposal(chainNode);
  const signature = await signPayload(new Uint8Array(32).fill(6), blockProposalPayload(unsigned, V4_ROLLUP));
  const before = chain.latestBlockNumber();
  const verdict = await handler.handle({ ...unsigned, signature }, peer.id);
  expect(verdict).toMatchObject({ valid: false, fault: "invalid_proposal" });
  expect(chain.latestBlockNumber()).toBe(before);
});

test("a failure of L1 while a proposal is checked is logged and ends nothing", async () => {
  const { chainNode, handlerParts, peer } = await receivingNode();
  const failing = new BlockProposalHandler({
    ...handlerParts,
    committees: { at: () => Promise.reject(new Error("L1 is down")) },
  });
  expect(await failing.handle(await signedProposal(chainNode), peer.id)).toBeUndefined();
});
