import { setTimeout as sleep } from "node:timers/promises";
import { quorum } from "../l1/committee/sampling.ts";
import {
  attestationsAndSignersHash,
  NO_ATTESTATIONS,
  type PackedAttestations,
  packAttestations,
} from "../l1/propose/attestations.ts";
import type { AttestationPool } from "../mempool/attestations/attestation-pool.ts";
import { toHex } from "../protocol/bytes.ts";
import { attestationPayloadHash } from "../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../protocol/consensus/message-rollup.ts";
import { shortSignature } from "../protocol/consensus/wire-signature.ts";
import type { DutyTimes } from "../telemetry/duty-times.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { DutySigner } from "./duty-signer.ts";
import type { OwnAttestations } from "./own-attestations.ts";
import type { OfferedBlock, OfferedCheckpoint, OwnProposals } from "./own-proposals.ts";
import type { ValidatorSettings } from "./settings.ts";
import { type SignedBy, trimToQuorum } from "./trim-to-quorum.ts";

interface CommitteeAttestationsParts {
  proposals: Pick<OwnProposals, "sendBlock" | "sendCheckpoint">;
  attestations: Pick<OwnAttestations, "members" | "attest">;
  pool: Pick<AttestationPool, "signedAttestations">;
  signer: Pick<DutySigner, "sign">;
  rollup: MessageRollup;
  /** Read before each look at the pool. */
  settings: Readonly<Pick<ValidatorSettings, "pollingIntervalMs">>;
  dutyTimes: Pick<DutyTimes, "done">;
  /** Told of each collection; for metrics. */
  record?: CollectionRecord;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

/** Is told how the attestations to an own checkpoint are collected. Times are milliseconds. */
export interface CollectionRecord {
  /** `allowanceMs`: until the deadline. */
  begun(required: number, allowanceMs: number | undefined): void;
  /** The quorum is there; `ms` since the checkpoint was proposed. */
  reached(collected: number, ms: number): void;
}

export interface CommitteeRequest extends OfferedCheckpoint {
  /** 20-byte addresses in committee order. */
  committee: readonly Uint8Array[];
  /** Unix milliseconds; undefined: no deadline. */
  deadline: number | undefined;
  signal: AbortSignal;
}

/** Too few members attested before the deadline. */
class AttestationTimeoutError extends Error {
  readonly slot: number;
  readonly collected: number;
  readonly required: number;

  constructor(
    slot: number,
    { collected, required, members }: { collected: number; required: number; members: number },
  ) {
    super(`${collected} of ${members} members attested in slot ${slot}, ${required} are required`);
    this.name = "AttestationTimeoutError";
    this.slot = slot;
    this.collected = collected;
    this.required = required;
  }
}

/**
 * Offers this node's blocks and checkpoints to the committee and collects its attestations
 * (docs/protocol/11-consensus.md#113-proposing-to-a-committee).
 */
export class CommitteeAttestations {
  readonly #parts: CommitteeAttestationsParts;

  constructor(parts: CommitteeAttestationsParts) {
    this.#parts = parts;
  }

  obstacle(): undefined {
    return undefined;
  }

  /** Sends a block that is not the last one of its checkpoint. Rejects if it cannot be signed. */
  offerBlock({ signal, ...offered }: OfferedBlock & { signal?: AbortSignal }): Promise<void> {
    return this.#parts.proposals.sendBlock(offered, signal);
  }

  /**
   * Sends the checkpoint, attests with this node's own keys and waits for the quorum; without a committee there is
   * none, and peers just follow. Rejects with an AttestationTimeoutError, or if a proposal or the result cannot be
   * signed. An aborted signal ends the wait.
   */
  async collect(request: CommitteeRequest): Promise<PackedAttestations> {
    const { committee, slot, proposer, checkpoint, signal } = request;
    const { proposals, attestations, signer, rollup, dutyTimes, record, now, logger } = this.#parts;
    const began = performance.now();
    const proposal = await proposals.sendCheckpoint(request, signal);
    if (committee.length === 0) return NO_ATTESTATIONS;
    const required = quorum(committee.length);
    record?.begun(required, request.deadline === undefined ? undefined : request.deadline - now());
    const own = await attestations.members(slot);
    await attestations.attest(proposal, own, signal);
    const collected = await this.#quorum(request, proposal);
    record?.reached(collected.length, performance.now() - began);
    dutyTimes.done(slot, "attested", { duty: "propose checkpoint" });
    const taken = trimToQuorum(collected, { required, first: [proposer, ...own] });
    const packed = packAttestations(committee.map((address) => ({ address, signature: taken.get(toHex(address)) })));
    const blockNumber = checkpoint.blocks[checkpoint.blocks.length - 1].record.number;
    const duty = { kind: "ATTESTATIONS_AND_SIGNERS", slot, blockNumber } as const;
    const signature = await signer.sign(
      proposer,
      duty,
      attestationsAndSignersHash(rollup.generation.consensus, packed),
      signal,
    );
    const ms = Math.round(performance.now() - began);
    const facts = { slot, attestations: collected.length, members: committee.length, ms };
    logger.info(facts, "{attestations} of {members} members attested in slot {slot} within {ms} ms");
    return { ...packed, signature };
  }

  /** Looks into the pool until it has a quorum. Returns all attestations that are there by then. */
  async #quorum(
    { committee, slot, deadline, signal }: CommitteeRequest,
    proposal: CheckpointProposal,
  ): Promise<SignedBy[]> {
    const { settings, rollup, now } = this.#parts;
    const required = quorum(committee.length);
    const payloadHash = attestationPayloadHash(proposal, rollup);
    const members = new Set(committee.map(toHex));
    for (;;) {
      const collected = this.#attested(slot, payloadHash).filter(({ attester }) => members.has(attester));
      if (collected.length >= required) return collected;
      const left = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - now();
      if (left <= 0 || signal.aborted) {
        throw new AttestationTimeoutError(slot, { collected: collected.length, required, members: members.size });
      }
      await sleep(Math.min(settings.pollingIntervalMs, left), undefined, { signal }).catch(() => undefined);
    }
  }

  #attested(slot: number, payloadHash: Uint8Array): SignedBy[] {
    return Array.from(this.#parts.pool.signedAttestations(slot, { payloadHash }), ({ attester, attestation }) => ({
      attester: toHex(attester),
      signature: shortSignature(attestation.signature),
    }));
  }
}
