import { expect, test } from "vitest";
import type { InvalidProposal } from "../../../src/archiver/tables/invalid-proposal.ts";
import { proposerIndex } from "../../../src/l1/committee/sampling.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import { watchInvalidAttestations } from "../../../src/slasher/watchers/invalid-attestations.ts";
import { testSettings } from "../../world/slasher/settings.ts";

const COMMITTEE = [1, 2, 3, 4].map((byte) => new Uint8Array(20).fill(byte));
const SIGNATURE = new Uint8Array(65).fill(1);
const root = (byte: number) => new Uint8Array(32).fill(byte);

/** An invalid checkpoint that members 0 and 1 signed; the others' addresses were posted. */
function invalid(changes: Partial<InvalidProposal> = {}): InvalidProposal {
  return {
    reason: "insufficient-attestations",
    invalidIndex: undefined,
    checkpointNumber: 5,
    archiveRoot: root(5),
    lastArchiveRoot: root(4),
    slotNumber: 70,
    timestamp: 0n,
    epoch: 8,
    seed: 77n,
    committee: COMMITTEE,
    attestors: COMMITTEE,
    attestations: COMMITTEE.map((address, i) => ({ address, signature: i < 2 ? SIGNATURE : undefined })),
    unusedBits: 0,
    ...changes,
  };
}

const short = ({ validator, amount, offenseType, epochOrSlot }: Offense) =>
  [toHex(validator).slice(0, 4), amount, offenseType, epochOrSlot] as const;

function watched(settings = testSettings()) {
  const offenses: Offense[] = [];
  const listener = watchInvalidAttestations(settings, (reported) => void offenses.push(...reported));
  return { listener, reported: () => offenses.splice(0).map(short) };
}

const amount = 10n ** 19n;
const proposer = (slot: number) => toHex(COMMITTEE[proposerIndex(8, slot, 77n, 4) as number]).slice(0, 4);

test("the watcher of invalid attestations accuses the slot's proposer by the reason, each checkpoint once", () => {
  const { listener, reported } = watched();
  listener(invalid());
  expect(reported()).toEqual([[proposer(70), amount, 5, 70n]]);
  listener(invalid());
  expect(reported()).toEqual([]);
  listener(invalid({ reason: "invalid-attestation", invalidIndex: 1, archiveRoot: root(6), slotNumber: 71 }));
  expect(reported()).toEqual([[proposer(71), amount, 6, 71n]]);
});

test("the watcher of invalid attestations accuses the signers of an invalid checkpoint on top of an invalid one, not members of posted addresses", () => {
  const { listener, reported } = watched();
  listener(invalid());
  reported();
  listener(invalid({ archiveRoot: root(6), lastArchiveRoot: root(5), slotNumber: 71 }));
  expect(reported()).toEqual([
    [proposer(71), amount, 5, 71n],
    ["0x01", amount, 7, 71n],
    ["0x02", amount, 7, 71n],
  ]);
});

test("the watcher of invalid attestations remembers a hundred invalid checkpoints", () => {
  const { listener, reported } = watched();
  const archive = (i: number) => Uint8Array.from([i >> 8, i & 255, ...root(9).subarray(2)]);
  for (let i = 0; i < 101; i++) listener(invalid({ archiveRoot: archive(i) }));
  reported();
  listener(invalid({ archiveRoot: archive(200), lastArchiveRoot: archive(0) }));
  expect(reported()).toHaveLength(1);
  listener(invalid({ archiveRoot: archive(201), lastArchiveRoot: archive(50) }));
  expect(reported()).toHaveLength(3);
});

test("the watcher of invalid attestations does nothing while both penalties are 0, and reads them for each checkpoint", () => {
  const settings = testSettings({ proposeInvalidAttestationsPenalty: 0n, attestDescendantOfInvalidPenalty: 0n });
  const { listener, reported } = watched(settings);
  listener(invalid());
  expect(reported()).toEqual([]);
  settings.attestDescendantOfInvalidPenalty = 3n;
  listener(invalid());
  expect(reported()).toEqual([[proposer(70), 0n, 5, 70n]]);
});
