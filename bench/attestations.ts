/**
 * Attestations of a committee of 48, as they come by gossip: decoding, the rules, the pool on disk.
 *
 *   node bench/attestations.ts [--help]
 *
 * Both sides get the same messages. Ratios to the reference are medians over repeats, in which the sides alternate in
 * going first.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { SlotCommittee } from "../src/l1/committee/slot-committees.ts";
import { LocalSigner } from "../src/l1/tx/local-signer.ts";
import { AttestationPool } from "../src/mempool/attestations/attestation-pool.ts";
import { Equivocations } from "../src/mempool/attestations/equivocations.ts";
import { checkpointAttestationValidator } from "../src/p2p/gossip/topics/checkpoint-attestation-topic.ts";
import { fromHex, toHex, writeUint } from "../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../src/protocol/checkpoint-header.ts";
import { encodeCheckpointAttestation } from "../src/protocol/consensus/checkpoint-attestation.ts";
import { checkpointProposalPayload } from "../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload } from "../src/protocol/consensus/digests.ts";
import { signerRecovery } from "../src/protocol/consensus/signer-recovery.ts";
import { wireSignature } from "../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLogger } from "../src/telemetry/logger.ts";
import { V4_ROLLUP } from "../test/world/protocol/message-rollup.ts";
import { Reference } from "./lib/reference.ts";
import { JSON_FILE, REFERENCE_HOME, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { inPairs, median } from "./lib/statistics.ts";

const COMMITTEE = 48;
const FIRST_SLOT = 5000;
const TIMES = { l1GenesisTime: 0, slotDuration: 72, ethereumSlotDuration: 12 };

const options = scriptOptions("bench/attestations.ts", {
  slots: wholeOption("slots whose attestations are checked", 10),
  repeats: wholeOption("comparisons with the reference, whose medians count", 3),
  json: JSON_FILE,
  "reference-home": REFERENCE_HOME,
});

interface Input {
  members: string[];
  /** By slot. */
  proposers: Record<number, string>;
  attestations: { slot: number; bytes: string }[];
}

const signers = Array.from({ length: COMMITTEE }, (_, i) => new LocalSigner(new Uint8Array(32).fill(i + 1)));
const sign = async (signer: LocalSigner, payload: Uint8Array) =>
  wireSignature(await signer.signMessage(keccak_256(payload)));

async function messages(slots: number): Promise<Input> {
  const input: Input = { members: signers.map(({ address }) => address), proposers: {}, attestations: [] };
  for (let slot = FIRST_SLOT; slot < FIRST_SLOT + slots; slot++) {
    const proposer = signers[slot % COMMITTEE];
    const header = new Uint8Array(V4.headers.checkpointBytes);
    writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, slot);
    const payload = { header, archive: new Uint8Array(32).fill(slot & 31), feeAssetPriceModifier: new Uint8Array(32) };
    const proposerSignature = await sign(proposer, checkpointProposalPayload(payload, V4_ROLLUP));
    const attested = attestationPayload(
      V4.consensus,
      payload.archive,
      payload.feeAssetPriceModifier,
      checkpointHash(header),
    );
    input.proposers[slot] = proposer.address;
    for (const signer of signers) {
      const signature = await sign(signer, attested);
      const bytes = toHex(encodeCheckpointAttestation({ ...payload, signature, proposerSignature }, V4_ROLLUP));
      input.attestations.push({ slot, bytes });
    }
  }
  return input;
}

interface Figures {
  accepted: number;
  /** Microseconds for each attestation. */
  cpuUs: number;
  us: number;
}

const recover = await signerRecovery();

async function ours({ members, proposers, attestations }: Input): Promise<Figures> {
  const path = mkdtempSync(join(tmpdir(), "svc-bench-attestations-"));
  const store = openStore({ path });
  const pool = new AttestationPool(store, V4_ROLLUP, silentLogger);
  const texts = new Set(members);
  let slotNow = 0;
  const at = async (slot: number): Promise<SlotCommittee> => ({
    slot,
    epoch: 0,
    kind: "committee",
    members: [],
    proposer: fromHex(proposers[slot]),
    escapeHatchOpen: false,
    isMember: (address) => texts.has(toHex(address)),
  });
  const validate = checkpointAttestationValidator({
    pool,
    committees: { at },
    equivocations: new Equivocations(silentLogger),
    times: TIMES,
    now: () => slotNow * TIMES.slotDuration * 1000,
    limits: { txsPermitted: true, maxTxsPerBlock: undefined },
    rollup: V4_ROLLUP,
    recover,
    hashTx: () => new Uint8Array(32),
    observer: false,
    processBlock: () => {},
    processCheckpoint: () => {},
  });
  const decoded = attestations.map(({ slot, bytes }) => ({ slot, bytes: fromHex(bytes) }));
  let accepted = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (const { slot, bytes } of decoded) {
    slotNow = slot;
    if ((await validate(bytes, "")).result === "accept") accepted++;
  }
  pool.close();
  const us = (performance.now() - start) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  await store.close();
  rmSync(path, { recursive: true, force: true });
  return { accepted, cpuUs: (user + system) / decoded.length, us: us / decoded.length };
}

const input = await messages(options.slots);
const all = input.attestations.length;
const checked = (figures: Figures): Figures => {
  if (figures.accepted !== all) throw new Error(`${figures.accepted} of ${all} attestations were accepted`);
  return figures;
};
const row = ({ cpuUs, us }: Figures) => ({
  "CPU us each": cpuUs.toFixed(0),
  "us each": us.toFixed(0),
  "per CPU second": Math.round(1e6 / cpuUs),
});

checked(await ours(input));
const home = options["reference-home"];
if (home === undefined) {
  const figures = checked(await ours(input));
  console.table({ svc: row(figures) });
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify([row(figures)]));
} else {
  const reference = new Reference(home);
  writeFileSync(reference.outside(reference.inside("attestations.json")), JSON.stringify(input));
  const pairs = await inPairs(
    options.repeats,
    async () => checked(await ours(input)),
    async () => checked(await reference.run<Figures>("attestations.mjs", [reference.inside("attestations.json")])),
  );
  const middle = (of: (pair: (typeof pairs)[number]) => Figures): Figures => ({
    accepted: all,
    cpuUs: median(pairs.map((pair) => of(pair).cpuUs)),
    us: median(pairs.map((pair) => of(pair).us)),
  });
  const rows = { svc: row(middle(({ ours }) => ours)), reference: row(middle(({ theirs }) => theirs)) };
  const times = median(pairs.map(({ ours, theirs }) => theirs.cpuUs / ours.cpuUs));
  console.table(rows);
  console.log(`times the reference's attestations per CPU second: ${times.toFixed(1)}`);
  if (options.json !== undefined) {
    const json = [
      { side: "svc", ...rows.svc, times: times.toFixed(1) },
      { side: "reference", ...rows.reference },
    ];
    writeFileSync(options.json, JSON.stringify(json));
  }
}
