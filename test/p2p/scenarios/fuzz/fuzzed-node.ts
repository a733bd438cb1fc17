import { loadCore } from "../../../../src/core/load-core.ts";
import { AttestationPool } from "../../../../src/mempool/attestations/attestation-pool.ts";
import { GossipIntake } from "../../../../src/mempool/gossip-intake.ts";
import { TxPool } from "../../../../src/mempool/pool/tx-pool.ts";
import { ACCEPT_ANY_PROOF } from "../../../../src/mempool/proofs/proof-verifier.ts";
import { TxValidator } from "../../../../src/mempool/validation/tx-validator.ts";
import { GossipReceiver } from "../../../../src/p2p/gossip/gossip-receiver.ts";
import { snappyTransform } from "../../../../src/p2p/gossip/gossip-service.ts";
import { messageId } from "../../../../src/p2p/gossip/message-id.ts";
import type { Topic } from "../../../../src/p2p/gossip/publisher.ts";
import { TOPIC_RULES, topicString } from "../../../../src/p2p/gossip/topic.ts";
import { consensusTopics } from "../../../../src/p2p/gossip/topics/consensus-topics.ts";
import { txTopic } from "../../../../src/p2p/gossip/topics/tx-topic.ts";
import type { GossipRouter } from "../../../../src/p2p/patches/gossipsub/gossip-router.ts";
import { fromHex, mapKey } from "../../../../src/protocol/bytes.ts";
import { unwrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import { DecodeError } from "../../../../src/protocol/errors.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../../src/protocol/tx/tx.ts";
import type { Logger } from "../../../../src/telemetry/logger.ts";
import { contextFor, freeState } from "../../../world/mempool/context.ts";
import { MemoryStore } from "../../../world/mempool/memory-store.ts";
import { digestTx } from "../../../world/mempool/v4-digests.ts";
import { committeeOf, consensusContext } from "../../../world/p2p/consensus-support.ts";
import { p2pVectors } from "../../../world/p2p/recorded.ts";
import { V4_ROLLUP } from "../../../world/protocol/message-rollup.ts";

const VERSION = "fuzz";
const PEER = "16Uiu2fuzz";
const SLOT = 5005;
const TIMES = { l1GenesisTime: 1000, slotDuration: 72, ethereumSlotDuration: 12 };
/** Messages after which pools are emptied: full pools refuse everything. */
const EMPTIED_AFTER = 200;

/** Gossip's receive path of a node: decompression, queue, validators of all topics, real pools. */
export class FuzzedNode {
  /** What was logged as an error; nothing that a peer sends may be. */
  readonly errors: unknown[] = [];
  readonly #receiver: GossipReceiver;
  readonly #pool: AttestationPool;
  readonly #txs: TxPool;
  #listener: ((event: unknown) => void) | undefined;
  #verdict: ((result: string) => void) | undefined;
  #extra = 0;
  #received = 0;

  /** `network` is a tx of the network that the node is on. */
  constructor(network: Tx) {
    const logger = this.#logger();
    this.#pool = new AttestationPool(new MemoryStore(), V4_ROLLUP, logger);
    const core = loadCore();
    const rich = { minedIn: () => undefined, feeJuice: () => 10n ** 60n, hasBlock: () => true, now: () => 1 };
    const limits = { rules: V4, maxPending: 20, archived: 0, deleteAfterReorg: false };
    this.#txs = new TxPool(new MemoryStore(), { ...rich, admission: () => () => true }, limits);
    const digests = {
      whole: async (tx: Tx) => digestTx(core, tx),
      hash: () => Promise.reject(new Error("a hash was asked for")),
      content: () => Promise.reject(new Error("a content was asked for")),
    };
    const validator = new TxValidator({
      digests,
      peerDigests: digests,
      contexts: {
        rules: V4,
        currentMinFees: () => Promise.reject(new Error("L1 was asked")),
        latestBlockFees: () => ({ feePerDaGas: 0n, feePerL2Gas: 0n }),
        next: (gasFees) =>
          contextFor(network, { gasFees, target: { timestamp: 1n, blockNumber: 13 }, state: freeState() }),
      },
      proofs: ACCEPT_ANY_PROOF,
    });
    const intake = new GossipIntake({
      validator,
      pool: this.#txs,
      options: { stateAt: () => undefined },
      transactions: V4.transactions,
    });
    const { keys } = p2pVectors();
    const [proposer, attester] = [keys.proposerAddress, keys.attesterAddress].map(fromHex);
    const { context } = consensusContext({
      pool: this.#pool,
      times: TIMES,
      now: () => (1000 + SLOT * 72) * 1000 + 1000,
      committees: { at: committeeOf([attester, proposer], proposer) },
    });
    this.#receiver = new GossipReceiver({
      router: this.#router(),
      topics: [...consensusTopics(context), txTopic(intake)],
      version: VERSION,
      penalties: { penalize: () => {} },
      seenMessages: 1000,
      deadlineMs: 60_000,
      logger,
      wrapper: { unwrap: unwrapMessage },
    });
    this.#receiver.start();
  }

  /** The verdict on a message as it comes from the wire; "invalid" if gossipsub's transform refuses it. */
  async receive(topic: Topic, compressed: Uint8Array): Promise<string> {
    if (this.#received++ % EMPTIED_AFTER === 0) {
      this.#pool.removeBefore(SLOT + 3);
      this.#txs.remove(this.#txs.pendingHashes(20));
    }
    let data: Uint8Array;
    try {
      data = snappyTransform(() => TOPIC_RULES[topic].maxBytes).inboundTransform(topic, compressed);
    } catch (error) {
      if (error instanceof DecodeError) return "invalid";
      throw error;
    }
    const name = topicString(topic, VERSION);
    const msgId = mapKey(messageId(name, data));
    const verdict = new Promise<string>((resolve) => {
      this.#verdict = resolve;
    });
    this.#listener?.({ detail: { propagationSource: { toString: () => PEER }, msgId, msg: { topic: name, data } } });
    return verdict;
  }

  /** Verdicts beyond one for each message. */
  get extraVerdicts(): number {
    return this.#extra;
  }

  close(): void {
    this.#receiver.stop();
    this.#pool.close();
  }

  #router(): GossipRouter {
    const router = {
      addEventListener: (_: string, listener: (event: unknown) => void) => {
        this.#listener = listener;
      },
      removeEventListener: () => {},
      subscribe: () => {},
      reportMessageValidationResult: (_: string, __: string, result: string) => {
        if (this.#verdict === undefined) this.#extra++;
        this.#verdict?.(result);
        this.#verdict = undefined;
      },
      score: { scoreCache: new Map() },
      acceptFromWhitelist: new Map(),
    };
    return router as unknown as GossipRouter;
  }

  #logger(): Logger {
    const quiet = () => {};
    const error = (...what: unknown[]) => void this.errors.push(what);
    const logger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error, fatal: error };
    return { ...logger, child: () => logger } as unknown as Logger;
  }
}
