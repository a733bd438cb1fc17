/**
 * What the reference does with gossiped attestations: decoding, its validator over a fixed committee, its pool.
 *
 *   attestations.mjs FILE
 *
 * FILE is that of bench/attestations.ts. The last line of output is JSON: microseconds of CPU and wall time for each
 * attestation, and how many were accepted.
 */
import { readFileSync } from "node:fs";
import { EthAddress } from "@aztec/foundation/eth-address";
import { CheckpointAttestationValidator, createTestAttestationPool } from "@aztec/p2p";
import { CheckpointAttestation } from "@aztec/stdlib/p2p";

const { members, proposers, attestations } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const committee = members.map((member) => EthAddress.fromString(member));
let current = 0;
const epochCache = {
  getCurrentAndNextSlot: () => ({ currentSlot: current, nextSlot: current }),
  isInCommittee: async (_, attester) => committee.some((member) => member.equals(attester)),
  getProposerAttesterAddressInSlot: async (slot) => EthAddress.fromString(proposers[slot]),
};
const pool = await createTestAttestationPool();
const validator = new CheckpointAttestationValidator(epochCache);

const messages = attestations.map(({ slot, bytes }) => ({ slot, bytes: Buffer.from(bytes.slice(2), "hex") }));
let accepted = 0;
const cpu = process.cpuUsage();
const start = performance.now();
for (const { slot, bytes } of messages) {
  current = slot;
  const attestation = CheckpointAttestation.fromBuffer(bytes);
  const { result } = await validator.validate(attestation);
  if (result === "accept" && (await pool.tryAddCheckpointAttestation(attestation)).added) accepted++;
}
const us = (performance.now() - start) * 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ accepted, cpuUs: (user + system) / messages.length, us: us / messages.length }));
process.exit(0);
