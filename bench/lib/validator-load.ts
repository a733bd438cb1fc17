import { setTimeout as sleep } from "node:timers/promises";
import type { HashedTx } from "../../src/execution/executed-tx.ts";
import { TOPICS } from "../../src/p2p/gossip/publisher.ts";
import { equal, toHex } from "../../src/protocol/bytes.ts";
import { attester, decodeCheckpointAttestation } from "../../src/protocol/consensus/checkpoint-attestation.ts";
import { V4_ROLLUP } from "../../test/world/protocol/message-rollup.ts";
import { recoverSigner } from "../../test/world/protocol/recover-signer.ts";
import type { CommitteeL1 } from "./committee-l1.ts";
import { txMessage } from "./gossip-messages.ts";
import type { GossipNode } from "./gossip-nodes.ts";
import { joinAsLightPeer, type LightPeer } from "./light-peer.ts";
import type { SlotProposals } from "./slot-proposals.ts";

/** A validator that has not attested in this time does not do so any more. */
const LOST_MS = 900;

/** A validator and the peer that tells it everything it hears. */
export class MeasuredValidator {
  readonly node: GossipNode;
  /** Lower-case 0x text. */
  readonly address: string;
  readonly #peer: LightPeer;

  private constructor(node: GossipNode, address: string, peer: LightPeer) {
    this.node = node;
    this.address = address;
    this.#peer = peer;
  }

  static async join(l1: CommitteeL1, node: GossipNode, address: string): Promise<MeasuredValidator> {
    return new MeasuredValidator(node, address, await joinAsLightPeer(l1, node.address, TOPICS));
  }

  isConnected(): boolean {
    return this.#peer.isConnected();
  }

  send(...message: Parameters<LightPeer["publish"]>): void {
    this.#peer.publish(...message);
  }

  /**
   * Sends a checkpoint proposal. Resolves to the milliseconds until the validator's attestation arrives, or to
   * undefined if there is none.
   */
  attest({ checkpoint, proposal }: Pick<SlotProposals, "checkpoint" | "proposal">): Promise<number | undefined> {
    return new Promise((resolve) => {
      const started = performance.now();
      const ended = (ms: number | undefined): void => {
        clearTimeout(late);
        this.#peer.onMessage = () => undefined;
        resolve(ms);
      };
      const late = setTimeout(() => ended(undefined), LOST_MS);
      this.#peer.onMessage = (topic, payload) => {
        const arrived = performance.now();
        if (topic !== "checkpoint_attestation") return;
        const attestation = decodeCheckpointAttestation(payload, V4_ROLLUP);
        const signer = attester(attestation, recoverSigner, V4_ROLLUP);
        const isOwn = signer !== undefined && toHex(signer) === this.address;
        if (isOwn && equal(attestation.archive, proposal.archive)) ended(arrived - started);
      };
      this.#peer.publish("checkpoint_proposal", checkpoint);
    });
  }

  async stop(): Promise<void> {
    await this.#peer.stop();
  }
}

/** Sends txs to all validators at a steady rate. */
export class SteadyTxs {
  readonly #txs: readonly HashedTx[];
  readonly #sending: Promise<void>;
  #sent = 0;
  #running = true;

  constructor(validators: readonly MeasuredValidator[], txs: readonly HashedTx[], perSecond: number) {
    this.#txs = txs;
    this.#sending = this.#send(validators, perSecond);
  }

  /** The txs that were sent last; the validators have had them for the time of as many again. */
  latest(count: number): readonly HashedTx[] {
    const end = Math.max(0, this.#sent - count);
    return this.#txs.slice(Math.max(0, end - count), end);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#sending;
  }

  async #send(validators: readonly MeasuredValidator[], perSecond: number): Promise<void> {
    const started = performance.now();
    for (const tx of this.#txs) {
      await sleep(Math.max(0, started + (this.#sent * 1000) / perSecond - performance.now()));
      if (!this.#running) return;
      const message = txMessage(tx);
      for (const validator of validators) validator.send("tx", message);
      this.#sent++;
    }
  }
}
