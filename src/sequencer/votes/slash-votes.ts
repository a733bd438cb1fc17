import { MULTICALL3_ADDRESS } from "../../l1/abi/multicall3.ts";
import { bundledGas } from "../../l1/propose/propose-gas.ts";
import { simulateCall } from "../../l1/propose/simulate.ts";
import { slashCall } from "../../l1/slashing/slash-call.ts";
import { MAX_TX_GAS } from "../../l1/tx/estimate-gas.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { SlashAction, SlashActions } from "../../protocol/slashing/action.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { nextTime, type ProposeParts } from "../publisher/propose-request.ts";
import type { PublishRequest } from "../publisher/types.ts";
import type { Voter, VoteSigner } from "./governance-signals.ts";

interface SlashVoteParts extends Pick<ProposeParts, "rpc" | "generation" | "settings"> {
  identity: Pick<RollupIdentity, "l1ChainId" | "addresses" | "constants">;
  slasher: SlashActions;
  signer: VoteSigner;
  logger: Logger;
}

/**
 * A proposer's votes about offenses and the slashes it executes, each kind at most once for each slot
 * (docs/protocol/12-slashing.md#126-slashing-contracts).
 */
export class SlashVotes {
  readonly #parts: SlashVoteParts;
  /** Last slot of each kind of action. */
  readonly #lastSlots = new Map<SlashAction["kind"], number>();

  constructor(parts: SlashVoteParts) {
    this.#parts = parts;
  }

  /** The requests to L1 for a slot. Throws an L1Error. What cannot be signed or would revert is logged and left out. */
  async requests(
    { slot, proposer }: Pick<Voter, "slot" | "proposer">,
    signal?: AbortSignal,
  ): Promise<PublishRequest[]> {
    const { slasher, signer, logger } = this.#parts;
    if (!signer.holds(proposer)) return [];
    const requests: PublishRequest[] = [];
    for (const action of await slasher.actionsFor(slot)) {
      if ((this.#lastSlots.get(action.kind) ?? -1) >= slot) continue;
      try {
        const request = await this.#request(action, proposer, signal);
        if (request === undefined) continue;
        this.#lastSlots.set(action.kind, slot);
        requests.push(request);
      } catch (error) {
        signal?.throwIfAborted();
        logger.warn({ slot, action: action.kind, err: error }, "an action of the slasher cannot be sent");
      }
    }
    return requests;
  }

  async #request(
    action: SlashAction,
    proposer: string,
    signal: AbortSignal | undefined,
  ): Promise<PublishRequest | undefined> {
    const { rpc, identity, generation, settings, signer, logger } = this.#parts;
    const { kind, slot } = action;
    const { l1ChainId: chainId, addresses } = identity;
    const call = slashCall(action, { chainId, rollup: addresses.rollupAddress, domain: generation.l1.slashingDomain });
    const vote = { kind: "SLASHING_VOTE", slot } as const;
    const signature = call.toSign && (await signer.sign(proposer, vote, call.toSign, signal));
    const data = call.calldata(signature);
    const timestamp = await nextTime(this.#parts, slot);
    const simulated = await simulateCall(rpc, { from: MULTICALL3_ADDRESS, to: call.to, data, timestamp });
    if (simulated.kind === "reverted") {
      logger.warn({ slot, action: kind, reason: simulated.reason }, "an action of the slasher would revert: {reason}");
      return undefined;
    }
    const gas = simulated.kind === "succeeded" ? simulated.gasUsed : MAX_TX_GAS;
    return {
      action: kind,
      to: call.to,
      data,
      gasLimit: bundledGas(gas, 0n, settings.gasLimitBufferPercentage),
      lastValidSlot: slot,
      proof: call.proof,
    };
  }
}
