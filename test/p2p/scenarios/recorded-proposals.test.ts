import { afterAll, beforeAll, expect, test } from "vitest";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { BlockProposalCheck } from "../../../src/checkpoints/proposals/block-proposal-check.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { TOKEN_SETUP_CALLS } from "../../../src/local-network/settings.ts";
import { CheckContexts } from "../../../src/mempool/validation/check-contexts.ts";
import { CommittedStates } from "../../../src/mempool/validation/committed-state.ts";
import { headerBlockNumber, headerSlotNumber } from "../../../src/protocol/block-header.ts";
import { toHex, word } from "../../../src/protocol/bytes.ts";
import {
  type BlockProposal,
  blockSigner,
  decodeBlockProposal,
} from "../../../src/protocol/consensus/block-proposal.ts";
import { decodeCheckpointProposal } from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { unwrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import { manaFees } from "../../../src/protocol/fees/gas-fees.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { blockChecks } from "../../../src/sequencer/block-checks.ts";
import { digestTx } from "../../world/mempool/v4-digests.ts";
import { recordedMessages, recordedNetwork } from "../../world/p2p/recorded.ts";
import { type RecordedNetworkChain, recordedNetworkChain } from "../../world/p2p/recorded-chain.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { txFromBytes } from "../../world/protocol/v4-txs.ts";

/** Block proposals of reference nodes, from the gossip of a network with a committee and several blocks in a slot. */
const core = loadCore();
const messages = recordedMessages();
const { proposers } = recordedNetwork();
let recorded: RecordedNetworkChain;

beforeAll(async () => {
  recorded = await recordedNetworkChain(core);
});
afterAll(() => recorded?.remove());

const txs = new Map(
  messages
    .filter(({ topic }) => topic === "tx")
    .map(({ wrapped }) => {
      const { hash, tx } = txFromBytes(unwrapMessage(wrapped));
      return [toHex(hash), { hash, tx, anchorHash: digestTx(core, tx).anchorHash }] as const;
    }),
);

const proposals: { proposal: BlockProposal; t: number }[] = messages.flatMap(({ topic, wrapped, t }) => {
  const payload = unwrapMessage(wrapped);
  if (topic === "block_proposal") return [{ proposal: decodeBlockProposal(payload, V4_ROLLUP), t }];
  const lastBlock =
    topic === "checkpoint_proposal" ? decodeCheckpointProposal(payload, V4_ROLLUP).lastBlock : undefined;
  return lastBlock === undefined ? [] : [{ proposal: lastBlock, t }];
});

/** Checks a proposal on the chain as it was when the proposal came. */
function check(proposal: BlockProposal, t: number) {
  const { store, chain, world, identity } = recorded;
  const number = headerBlockNumber(proposal.header);
  const content = new ContentStore({ store, chain });
  const sources = {
    chain,
    content,
    states: new CommittedStates(core, world, V4.contracts),
    identity,
    generation: V4,
    fees: { currentMinFees: async () => manaFees(0n) },
    now: () => t / 1000,
  };
  const contexts = new CheckContexts(sources, {
    permitted: true,
    setupAllowList: TOKEN_SETUP_CALLS,
    validatorGasLimits: {},
  });
  const { constants } = identity;
  return new BlockProposalCheck(
    {
      build: { core, generation: V4, world, contracts: content, siloing: new Siloing(core, V4), vm: new Vm(V4) },
      chain: {
        block: (n) => (n < number ? chain.block(n) : undefined),
        blockBody: (n) => chain.blockBody(n),
        blockNumberByArchive: (root) => chain.blockNumberByArchive(root),
      },
      constants,
      chainId: identity.l1ChainId,
      version: identity.rollupVersion,
      genesisArchiveRoot: identity.genesisArchiveRoot,
      limits: { rollupManaLimit: constants.rollupManaLimit },
      txRules: (terms, state) =>
        blockChecks(contexts, terms, { state, anchorHash: (hash) => txs.get(toHex(hash))?.anchorHash }),
      sync: {
        syncedSlot: () => headerSlotNumber(proposal.header) - 1,
        poke: () => {},
        onBlocksAdded: () => () => {},
        addProposedBlock: async () => {},
      },
      messages: (checkpoint) => messagesOfCheckpoint(chain.messages, checkpoint),
      hatchOpen: async () => false,
      txs: {
        get: async ({ hashes }) => ({
          txs: hashes.flatMap((hash) => txs.get(toHex(hash)) ?? []),
          missing: hashes.filter((hash) => !txs.has(toHex(hash))),
        }),
      },
      now: () => t,
    },
    { reexecutes: () => true, stores: false },
  );
}

const received = (proposal: BlockProposal) => ({
  proposal,
  txHashes: Array.from({ length: proposal.txHashes.length / 32 }, (_, i) => word(proposal.txHashes, i)),
  peer: undefined,
  embedded: [],
  brokenRule: async () => {
    const sender = blockSigner(proposal, recoverSigner, V4_ROLLUP);
    const proposer = proposers[String(headerSlotNumber(proposal.header))];
    return sender !== undefined && toHex(sender) === proposer?.toLowerCase() ? undefined : "the sender";
  },
});

test("every block that reference nodes proposed executes to the same header and archive", async () => {
  const indexes = new Set<number>();
  let onChain = 0;
  for (const { proposal, t } of proposals) {
    const number = headerBlockNumber(proposal.header);
    const label = `block ${number}, index ${proposal.indexWithinCheckpoint}`;
    const verdict = await check(proposal, t).check(received(proposal));
    expect(verdict, label).toMatchObject({ valid: true });
    const record = verdict.valid ? verdict.block!.record : undefined;
    expect([record!.header, record!.archiveRoot].map(toHex), label).toEqual(
      [proposal.header, proposal.archiveRoot].map(toHex),
    );
    if (recorded.chain.blockNumberByArchive(proposal.archiveRoot) === number) onChain++;
    indexes.add(proposal.indexWithinCheckpoint);
  }
  // One of two rival proposals of slot 225 is on the chain, and neither of slot 238.
  expect([proposals.length, onChain, [...indexes]]).toEqual([16, 13, [0, 1, 2]]);
});

test("a reference proposal with another block's transactions or messages is refused", async () => {
  const { proposal, t } = proposals.find(({ proposal: { txHashes } }) => txHashes.length === 64)!;
  const swapped = new Uint8Array(64);
  swapped.set(word(proposal.txHashes, 1), 0);
  swapped.set(word(proposal.txHashes, 0), 32);
  const verdict = await check(proposal, t).check({
    ...received(proposal),
    txHashes: [word(swapped, 0), word(swapped, 1)],
  });
  expect(verdict).toMatchObject({ valid: false, fault: "state_mismatch" });
  const inHash = new Uint8Array(32).fill(1);
  const other = await check(proposal, t).check({ ...received(proposal), proposal: { ...proposal, inHash } });
  expect(other).toMatchObject({ valid: false, fault: "in_hash_mismatch" });
});
