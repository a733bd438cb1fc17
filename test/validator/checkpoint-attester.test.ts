import { afterEach, describe, expect, test } from "vitest";
import type { CheckpointVerdict } from "../../src/checkpoints/proposals/checkpoint-proposal-check.ts";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import { toHex, writeUint } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import {
  attestedProposer,
  attester as attesterOf,
  decodeCheckpointAttestation,
} from "../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
} from "../../src/protocol/consensus/checkpoint-proposal.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { CheckpointAttester, type CheckpointAttesterParts } from "../../src/validator/checkpoint-attester.ts";
import { DutySigner } from "../../src/validator/duty-signer.ts";
import { OwnAttestations, type OwnAttestationsParts } from "../../src/validator/own-attestations.ts";
import type { SigningGuard, SigningRequest } from "../../src/validator/signing/signing-guard.ts";
import { SigningRefusedError } from "../../src/validator/signing/signing-refused-error.ts";
import { addressOf, committeeOf, pooled, signPayload } from "../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../world/protocol/message-rollup.ts";
import { recoverSigner } from "../world/protocol/recover-signer.ts";
import { UNMEASURED } from "../world/telemetry/unmeasured.ts";
import { closeGuards, recordingGuard } from "../world/validator/recording-guard.ts";

const TIMES = { l1GenesisTime: 1_000_000, slotDuration: 72, ethereumSlotDuration: 12 };
const [PROPOSER, FIRST, SECOND, OUTSIDER] = [1, 2, 3, 4].map((i) => new Uint8Array(32).fill(i));
const text = (key: Uint8Array) => toHex(addressOf(key));
const MEMBERS = [PROPOSER, FIRST, SECOND].map(addressOf);
const SIGNERS = new Map([PROPOSER, FIRST, SECOND, OUTSIDER].map((key) => [text(key), new LocalSigner(key)]));
const startOf = (slot: number) => (TIMES.l1GenesisTime + slot * TIMES.slotDuration) * 1000;

const inSlot10 = () => startOf(10) + 5000;

/** A proposal of a slot; `seed` makes another one of the same slot. */
async function proposal(slot: number, { seed = 0, key = PROPOSER } = {}): Promise<CheckpointProposal> {
  const header = new Uint8Array(V4.headers.checkpointBytes);
  writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, slot);
  const payload = { header, archive: new Uint8Array(32).fill(seed), feeAssetPriceModifier: new Uint8Array(32) };
  return { ...payload, signature: await signPayload(key, checkpointProposalPayload(payload, V4_ROLLUP)) };
}

const bytes = (seed: number) => new Uint8Array(4).fill(seed);
const CONTENTS = { blobs: [bytes(1)], commitments: [bytes(2)], versionedBlobHashes: [bytes(3)] };
const VALID = { valid: true, checkpoint: { checkpointNumber: 5, ...CONTENTS } } as CheckpointVerdict;
const pools: ReturnType<typeof pooled>[] = [];
afterEach(async () => {
  await closeGuards();
  for (const each of pools.splice(0)) await each.close();
});

const checking = (check: CheckpointAttesterParts["check"]["check"]) => ({ check, prepare: async () => {} });

/** A validator with the keys of two members and of somebody else, in slot 10. */
function validator({
  guard,
  ...changes
}: Partial<CheckpointAttesterParts> & Partial<OwnAttestationsParts> & { guard?: SigningGuard } = {}) {
  const opened = pooled();
  pools.push(opened);
  const sent: Uint8Array[] = [];
  const requests: SigningRequest[] = [];
  const log: { message: string; facts: Record<string, unknown> }[] = [];
  let checks = 0;
  const prepared: number[] = [];
  const guarded = recordingGuard(TIMES, changes.now ?? inSlot10);
  const note = (facts: object, message: string) => void log.push({ message, facts: facts as Record<string, unknown> });
  const shared = {
    rollup: V4_ROLLUP,
    committees: { at: committeeOf(MEMBERS, MEMBERS[0]) },
    dutyTimes: UNMEASURED,
    logger: { debug: () => {}, info: () => {}, warn: note, error: note },
  };
  const own = [FIRST, SECOND, OUTSIDER].map(text);
  const attestations = new OwnAttestations({
    ...shared,
    attesters: () => own,
    signer: new DutySigner({
      guard: {
        sign(request) {
          requests.push(request);
          return (guard ?? guarded).sign(request);
        },
        close: async () => {},
      },
      signerOf: (address) => SIGNERS.get(address),
    }),
    pool: opened.pool,
    publisher: { publish: (_, payload) => void sent.push(payload) },
    ...changes,
  });
  const attester = new CheckpointAttester({
    ...shared,
    attestations,
    check: {
      check: async () => {
        checks++;
        return VALID;
      },
      prepare: async (slot) => void prepared.push(slot),
    },
    ownAddresses: () => own,
    observer: false,
    uploads: undefined,
    times: TIMES,
    recover: recoverSigner,
    now: inSlot10,
    ...changes,
  });
  return { attester, attestations, pool: opened.pool, sent, requests, log, checks: () => checks, prepared };
}

describe("a valid checkpoint proposal", () => {
  test("a valid checkpoint proposal is attested to once by each key of this node in the committee", async () => {
    const own = validator();
    const given = await proposal(10);
    expect(await own.attester.handle(given, "peer", 0)).toEqual({ kind: "attested", members: 2 });
    const attestations = own.sent.map((bytes) => decodeCheckpointAttestation(bytes, V4_ROLLUP));
    expect(attestations.map((each) => toHex(attesterOf(each, recoverSigner, V4_ROLLUP)!))).toEqual([
      text(FIRST),
      text(SECOND),
    ]);
    expect(attestations.map((each) => toHex(attestedProposer(each, recoverSigner, V4_ROLLUP)!))).toEqual([
      text(PROPOSER),
      text(PROPOSER),
    ]);
    expect(own.pool.attestations(10, { archive: given.archive })).toHaveLength(2);
    expect(own.requests.map(({ duty }) => duty)).toEqual([
      { kind: "ATTESTATION", slot: 10 },
      { kind: "ATTESTATION", slot: 10 },
    ]);
  });

  test("own attestations do not count against the limit for attestations of others", async () => {
    const own = validator();
    await own.attester.handle(await proposal(10), "peer", 0);
    const [first] = own.sent.map((bytes) => decodeCheckpointAttestation(bytes, V4_ROLLUP));
    const others = [1, 2, 3].map((i) => ({ ...first, archive: new Uint8Array(32).fill(i) }));
    const results = others.map((each) => own.pool.addAttestation(each, addressOf(FIRST)).result);
    expect(results).toEqual(["added", "added", "added"]);
  });

  test("a slot is attested in once, even when two proposals are checked at the same time, and never after a later slot", async () => {
    const own = validator({ now: () => startOf(11) - 1000 });
    const outcomes = await Promise.all(
      [await proposal(10), await proposal(10, { seed: 1 })].map((each) => own.attester.handle(each, "peer", 0)),
    );
    expect(outcomes).toEqual([{ kind: "attested", members: 2 }, { kind: "not signed" }]);
    // In the last L1 slot of slot 10, proposals of slot 11 come too.
    expect(await own.attester.handle(await proposal(11), "peer", 0)).toMatchObject({ kind: "attested" });
    expect(await own.attester.handle(await proposal(10, { seed: 2 }), "peer", 0)).toEqual({ kind: "not signed" });
    expect(own.sent).toHaveLength(4);
  });

  test("a key whose signer fails, or whose guard refuses, does not keep the others from attesting", async () => {
    for (const [failure, message] of [
      [new Error("web3signer is down"), "failed"],
      [
        new SigningRefusedError(
          text(FIRST),
          { kind: "ATTESTATION", slot: 10 },
          "other message",
          "another node signed it",
        ),
        "another node",
      ],
    ] as const) {
      const memory = recordingGuard(TIMES, inSlot10);
      const own = validator({
        guard: {
          async sign(request) {
            if (request.signer.address === text(FIRST)) throw failure;
            return memory.sign(request);
          },
          close: async () => {},
        },
      });
      expect(await own.attester.handle(await proposal(10), "peer", 0)).toEqual({ kind: "attested", members: 1 });
      expect(own.log).toMatchObject([{ message: expect.stringContaining(message), facts: { attester: text(FIRST) } }]);
    }
  });
});

test("an attestation that another node of a high-availability group sends is no warning", async () => {
  const own = validator({
    guard: {
      async sign({ signer, duty }) {
        throw new SigningRefusedError(signer.address, duty, "signed elsewhere", "node-b has signed it");
      },
      close: async () => {},
    },
  });
  expect(await own.attester.handle(await proposal(10), "peer", 0)).toEqual({ kind: "not signed" });
  expect(own.log).toEqual([]);
});

describe("a checkpoint proposal that is not attested to", () => {
  const outcome = async (
    changes: Parameters<typeof validator>[0],
    given = proposal(10),
  ): Promise<[string, number, number]> => {
    const own = validator(changes);
    const { kind } = await own.attester.handle(await given, "peer", 0);
    expect(own.pool.attestations(10)).toEqual([]);
    return [kind, own.sent.length, own.checks()];
  };

  test("a checkpoint proposal is neither checked nor attested to while the escape hatch is open", async () => {
    const at = async (slot: number) => ({ ...(await committeeOf(MEMBERS, MEMBERS[0])(slot)), escapeHatchOpen: true });
    expect(await outcome({ committees: { at } })).toEqual(["escape hatch", 0, 0]);
  });

  test("a checkpoint proposal by a key of this node is left to the proposer's own duties", async () => {
    expect(await outcome({}, proposal(10, { key: FIRST }))).toEqual(["own proposal", 0, 0]);
  });

  test("a checkpoint proposal is not checked by a node without a key in the committee", async () => {
    const at = committeeOf([addressOf(PROPOSER)], addressOf(PROPOSER));
    expect(await outcome({ committees: { at } })).toEqual(["not a member", 0, 0]);
    expect(await outcome({ attesters: () => [] })).toEqual(["not a member", 0, 0]);
  });

  test("an observer checks every checkpoint proposal and sends nothing", async () => {
    expect(await outcome({ observer: true })).toEqual(["observed", 0, 1]);
    expect(await outcome({ observer: true, attesters: () => [] })).toEqual(["observed", 0, 1]);
  });

  test("a node that uploads blobs does so for every valid checkpoint, also without a key in the committee", async () => {
    const stored: unknown[] = [];
    const uploads = { add: (blobs: unknown) => void stored.push(blobs) };
    expect(await outcome({ uploads, attesters: () => [] })).toEqual(["not a member", 0, 1]);
    const blob = { data: bytes(1), commitment: bytes(2), versionedHash: bytes(3) };
    expect(stored).toEqual([[blob]]);
    const check = checking(async () => ({ valid: false, fault: "out_hash_mismatch", reason: "because" }) as const);
    expect(await outcome({ uploads, check })).toEqual(["refused", 0, 0]);
    expect(stored).toHaveLength(1);
  });

  test("a refused checkpoint proposal is logged with the rule that it breaks", async () => {
    const check = checking(async () => ({ valid: false, fault: "out_hash_mismatch", reason: "because" }) as const);
    const own = validator({ check });
    expect(await own.attester.handle(await proposal(10), "peer", 0)).toEqual({
      kind: "refused",
      fault: "out_hash_mismatch",
    });
    expect(own.log).toMatchObject([
      { facts: { slot: 10, fault: "out_hash_mismatch", reason: "because", peer: "peer" } },
    ]);
    expect(own.requests).toEqual([]);
  });

  test("a checkpoint proposal whose check ends after its slot is not attested to", async () => {
    expect(await outcome({ now: () => startOf(11) })).toEqual(["late", 0, 1]);
  });

  test("a failure of L1 or of the check ends nothing and is logged", async () => {
    const silent = { at: () => Promise.reject(new Error("L1 is down")) };
    expect(await outcome({ committees: silent })).toEqual(["failed", 0, 0]);
    expect(await outcome({ check: checking(() => Promise.reject(new Error("KZG"))) })).toEqual(["failed", 0, 0]);
  });
});

describe("preparing an attestation", () => {
  test("an attestation is prepared in slots whose committee has a key of this node", async () => {
    const own = validator();
    await own.attester.prepare(10);
    const stranger = validator({ attesters: () => [] });
    await stranger.attester.prepare(10);
    expect([own.prepared, stranger.prepared]).toEqual([[10], []]);
  });

  test("an attestation that could not be prepared is still made", async () => {
    const prepare = () => Promise.reject(new Error("KZG"));
    const own = validator({ check: { check: async () => VALID, prepare } });
    await own.attester.prepare(10);
    expect(await own.attester.handle(await proposal(10), "peer", 0)).toMatchObject({ kind: "attested" });
  });
});

test("a duty of an attester whose key was taken away is refused", async () => {
  const signer = new DutySigner({ guard: recordingGuard(TIMES, inSlot10), signerOf: () => undefined });
  const signing = signer.sign(text(FIRST), { kind: "ATTESTATION", slot: 10 }, new Uint8Array(32));
  await expect(signing).rejects.toThrow("this node has no key of it");
});
