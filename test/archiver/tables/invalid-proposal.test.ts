import { expect, test } from "vitest";
import type { InvalidProposal } from "../../../src/archiver/tables/invalid-proposal.ts";
import { decodeInvalidProposal, encodeInvalidProposal } from "../../../src/archiver/tables/invalid-proposal.ts";
import { seeded } from "../../world/archiver/synthetic-chain.ts";

test("an invalid proposal is read back as it was stored", () => {
  const proposal: InvalidProposal = {
    reason: "insufficient-attestations",
    invalidIndex: undefined,
    checkpointNumber: 5,
    archiveRoot: seeded("archive"),
    lastArchiveRoot: seeded("last"),
    slotNumber: 31,
    timestamp: 1795231704n,
    epoch: 7,
    seed: 2n ** 255n,
    committee: [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)],
    attestors: [new Uint8Array(20).fill(2)],
    attestations: [
      { address: new Uint8Array(20), signature: new Uint8Array(65).fill(5) },
      { address: new Uint8Array(20).fill(1), signature: undefined },
    ],
    unusedBits: 0x3f,
  };
  const plain = (p: InvalidProposal) => JSON.stringify(p, (_, v) => (typeof v === "bigint" ? `${v}` : v));
  for (const p of [proposal, { ...proposal, reason: "invalid-attestation" as const, invalidIndex: 0, committee: [] }]) {
    expect(JSON.parse(plain(decodeInvalidProposal(encodeInvalidProposal(p))))).toEqual(JSON.parse(plain(p)));
  }
});
