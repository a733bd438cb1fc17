import { expect, test } from "vitest";
import type { ProposalVerdict } from "../../src/checkpoints/proposals/proposal-verdict.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT } from "../../src/protocol/block-header.ts";
import { toHex, writeU32 } from "../../src/protocol/bytes.ts";
import { type BlockProposal, blockProposalPayload } from "../../src/protocol/consensus/block-proposal.ts";
import type { Offense } from "../../src/protocol/slashing/offense.ts";
import { OffenseReports } from "../../src/validator/offense-reports.ts";
import { addressOf, signPayload } from "../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../world/protocol/message-rollup.ts";
import { recoverSigner } from "../world/protocol/recover-signer.ts";

const PROPOSER = new Uint8Array(32).fill(1);

function reporting({ invalidBlock = 7n } = {}) {
  const reported: Offense[] = [];
  const reports = new OffenseReports(
    (offenses) => void reported.push(...offenses),
    {
      broadcastedInvalidBlockPenalty: invalidBlock,
      duplicateProposalPenalty: 0n,
      duplicateAttestationPenalty: 3n,
    },
    recoverSigner,
    V4_ROLLUP,
  );
  return { reported, reports };
}

async function proposal(slot: number): Promise<BlockProposal> {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  writeU32(header, HEADER_AT.slotNumber, slot);
  const word = new Uint8Array(32);
  const unsigned = { header, indexWithinCheckpoint: 1, inHash: word, archiveRoot: word, txHashes: new Uint8Array() };
  return {
    ...unsigned,
    signature: await signPayload(PROPOSER, blockProposalPayload(unsigned, V4_ROLLUP)),
    signedTxs: undefined,
  };
}

test("the proposer of a block that came out otherwise or failed is reported, and no other fault of a block is an offense", async () => {
  const { reported, reports } = reporting();
  const given = await proposal(10);
  const refused = (fault: string) => ({ valid: false, fault, reason: "because" }) as ProposalVerdict;
  for (const fault of ["state_mismatch", "failed_txs", "timeout", "txs_not_available", "invalid_proposal"]) {
    reports.blockChecked(given, refused(fault));
  }
  reports.blockChecked(given, { valid: true, block: undefined });
  reports.blockChecked({ ...given, signature: new Uint8Array(68) }, refused("state_mismatch"));
  expect(reported).toHaveLength(2);
  expect(reported[0]).toMatchObject({ amount: 7n, offenseType: 4, epochOrSlot: 10n });
  expect(toHex(reported[0].validator)).toBe(toHex(addressOf(PROPOSER)));
  const free = reporting({ invalidBlock: 0n });
  free.reports.blockChecked(given, refused("state_mismatch"));
  expect(free.reported).toEqual([]);
});

test("equivocations are reported at any penalty", () => {
  const { reported, reports } = reporting();
  const [proposer, attester] = [1, 2].map((i) => new Uint8Array(20).fill(i));
  reports.duplicateProposal({ slot: 10, proposer, kind: "block" });
  reports.duplicateAttestation({ slot: 11, attester });
  expect(reported).toEqual([
    { validator: proposer, amount: 0n, offenseType: 8, epochOrSlot: 10n },
    { validator: attester, amount: 3n, offenseType: 9, epochOrSlot: 11n },
  ]);
});
