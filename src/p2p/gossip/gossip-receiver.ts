import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { GossipsubMessage } from "@libp2p/gossipsub";
import { BusyError } from "../../errors/busy-error.ts";
import { within } from "../../events/within.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";
import type { Distribution } from "../../telemetry/metrics/metrics.ts";
import type { GossipRouter } from "../patches/gossipsub/gossip-router.ts";
import { forgetScore } from "../patches/gossipsub/harden-router.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import { FairQueue, type QueuedItem } from "./fair-queue.ts";
import { messageIdText } from "./message-id.ts";
import type { Topic } from "./publisher.ts";
import { type ReceiveCounts, receiveCounts } from "./receive-counts.ts";
import { SeenFilter } from "./seen-filter.ts";
import { type GossipOutcome, type GossipTopic, type MessageWrapper, topicString } from "./topic.ts";

export interface GossipReceiverOptions {
  router: GossipRouter;
  topics: readonly GossipTopic[];
  /** Protocol version string. */
  version: string;
  penalties: PeerPenalties;
  /** Message ids that are remembered for each topic. */
  seenMessages: number;
  /** After this many milliseconds a verdict no longer forwards a message. */
  deadlineMs: number;
  logger: Logger;
  wrapper: Pick<MessageWrapper, "unwrap">;
}

interface Received extends QueuedItem {
  /** Key of the message id. */
  key: string;
  payload: Uint8Array;
  /** Milliseconds of performance.now(). */
  at: number;
}

interface Lane {
  topic: GossipTopic;
  seen: SeenFilter;
  queue: FairQueue<Received>;
  running: number;
  counts: ReceiveCounts;
  /** Of validations, in milliseconds. */
  times: { counted: DistributionCounter; recent: RecordableHistogram };
  /** Milliseconds of performance.now() when a failure of this node was last logged as an error. */
  failureLoggedAt: number;
}

/** Longest time in which validations are started before other work of the event loop goes on, in milliseconds. */
const MAX_RUN_MS = 10;
/** Least time between errors in the log that say that a topic's messages could not be validated, in milliseconds. */
const MS_BETWEEN_FAILURES = 10_000;
/** A validation that takes longer than this many milliseconds no longer occupies its place. */
const STUCK_MS = 60_000;
/** Upper bounds of the times of validations. */
export const VALIDATION_MS = [
  10, 20, 35, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000,
] as const;
/** Longest wait for what is running at a stop, in milliseconds. The whole node has ten seconds. */
const STOP_MS = 2_000;

/**
 * Takes messages from gossipsub, validates them in the order of their topics' priorities and reports the verdicts
 * (docs/protocol/10-peers.md#107-gossip). Nothing that a message causes is thrown to the caller.
 */
export class GossipReceiver {
  readonly #options: GossipReceiverOptions;
  /** By priority. */
  readonly #lanes: readonly Lane[];
  readonly #byName: ReadonlyMap<string, Lane>;
  readonly #validations = new Set<Promise<void>>();
  readonly #processings = new Set<Promise<void>>();
  #scheduled: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(options: GossipReceiverOptions) {
    this.#options = options;
    const { topics, version, seenMessages } = options;
    this.#lanes = topics
      .toSorted((a, b) => a.priority - b.priority)
      .map((topic) => ({
        topic,
        seen: new SeenFilter(seenMessages),
        queue: new FairQueue<Received>(topic.queue),
        running: 0,
        counts: receiveCounts(),
        times: {
          counted: new DistributionCounter(VALIDATION_MS),
          recent: createHistogram({ lowest: 1, highest: STUCK_MS }),
        },
        failureLoggedAt: Number.NEGATIVE_INFINITY,
      }));
    this.#byName = new Map(this.#lanes.map((lane) => [topicString(lane.topic.name, version), lane]));
  }

  /** Subscribes to the topics. The host must have been started. */
  start(): void {
    const { router } = this.#options;
    router.addEventListener("gossipsub:message", this.#listener);
    for (const name of this.#byName.keys()) router.subscribe(name);
  }

  /**
   * Messages that wait for validation are dropped. Resolves when running validations have ended, without a verdict, or
   * after two seconds.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#options.router.removeEventListener("gossipsub:message", this.#listener);
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    for (const { queue } of this.#lanes) queue.clear();
    await within(Promise.allSettled(this.#validations), { ms: STOP_MS, ref: false });
  }

  /** Resolves when what accepted messages caused has ended, or after two seconds. Called after `stop`. */
  async processed(): Promise<void> {
    await within(Promise.allSettled(this.#processings), { ms: STOP_MS, ref: false });
  }

  /** Counts since the start, by topic. */
  counts(): Map<Topic, ReceiveCounts> {
    return new Map(this.#lanes.map(({ topic, counts }) => [topic.name, { ...counts }]));
  }

  /** Times of validations since the start, by topic. */
  validationTimes(): Map<
    Topic,
    { counted: Distribution; all: Pick<RecordableHistogram, "count" | "mean" | "max" | "min" | "percentile"> }
  > {
    return new Map(
      this.#lanes.map(({ topic, times }) => [topic.name, { counted: times.counted.read(), all: times.recent }]),
    );
  }

  readonly #listener = ({ detail }: CustomEvent<GossipsubMessage>): void => {
    try {
      this.#receive(detail);
    } catch (error) {
      this.#options.logger.error({ err: error }, "a gossiped message could not be received");
    }
  };

  #receive({ propagationSource, msgId: key, msg }: GossipsubMessage): void {
    const { wrapper } = this.#options;
    const from = propagationSource.toString();
    const lane = this.#byName.get(msg.topic);
    const at = performance.now();
    if (lane !== undefined) lane.counts.received++;
    let payload: Uint8Array;
    try {
      payload = wrapper.unwrap(msg.data);
    } catch (error) {
      this.#conclude(lane, { key, from, at }, faultOf(error));
      return;
    }
    if (lane === undefined) {
      this.#report(key, from, "ignore");
      return;
    }
    if (!lane.seen.add(key)) {
      this.#conclude(lane, { key, from, at }, { result: "ignore" });
      return;
    }
    for (const dropped of lane.queue.add({ key, from, at, payload, bytes: msg.data.length })) {
      lane.counts.dropped++;
      this.#report(dropped.key, dropped.from, "ignore");
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#stopped || this.#scheduled !== undefined) return;
    this.#scheduled = setImmediate(() => {
      this.#scheduled = undefined;
      this.#startWaiting();
    });
  }

  /** Starts validations, those of the topic with the highest priority first, as many as may run. */
  #startWaiting(): void {
    const end = performance.now() + MAX_RUN_MS;
    for (;;) {
      const lane = this.#lanes.find(({ topic, running, queue }) => queue.size > 0 && running < topic.parallel);
      const message = lane?.queue.next();
      if (lane === undefined || message === undefined) return;
      if (lane.topic.late === "drop" && performance.now() - message.at > this.#options.deadlineMs) {
        lane.counts.late++;
        this.#report(message.key, message.from, "ignore");
      } else this.#begin(lane, message);
      if (performance.now() >= end) {
        this.#schedule();
        return;
      }
    }
  }

  #begin(lane: Lane, message: Received): void {
    track(this.#validations, this.#validate(lane, message));
  }

  /** Never rejects. */
  async #validate(lane: Lane, message: Received): Promise<void> {
    const free = this.#occupy(lane, message);
    const started = performance.now();
    let outcome: GossipOutcome;
    try {
      outcome = await lane.topic.validate(message.payload, message.from);
    } catch (error) {
      outcome = faultOf(error);
      if (outcome.result === "ignore" && !(error instanceof BusyError)) this.#logFailure(lane, message, error);
    } finally {
      free();
    }
    const took = Math.ceil(performance.now() - started);
    lane.times.counted.record(took);
    lane.times.recent.record(Math.max(1, took));
    if (this.#stopped) return;
    this.#conclude(lane, message, outcome);
  }

  /** Peers decide how often this happens, so most of it goes to the debug log. */
  #logFailure(lane: Lane, { key }: Received, error: unknown): void {
    if (this.#stopped) return;
    const { logger } = this.#options;
    const facts = { err: error, topic: lane.topic.name, id: messageIdText(key) };
    const now = performance.now();
    if (now - lane.failureLoggedAt < MS_BETWEEN_FAILURES) {
      logger.debug(facts, "a gossip message was not validated");
      return;
    }
    lane.failureLoggedAt = now;
    logger.error(facts, "a gossip message was not validated");
  }

  /** Counts a running validation until the returned function is called, or until it takes too long. */
  #occupy(lane: Lane, message: Received): () => void {
    lane.running++;
    let occupied = true;
    const free = () => {
      if (!occupied) return;
      occupied = false;
      clearTimeout(timer);
      lane.running--;
      this.#schedule();
    };
    const timer = setTimeout(() => {
      const { logger } = this.#options;
      logger.warn(
        { topic: lane.topic.name, id: messageIdText(message.key) },
        "the validation of a gossip message does not end",
      );
      free();
    }, STUCK_MS);
    timer.unref();
    return free;
  }

  #conclude(lane: Lane | undefined, message: Pick<Received, "key" | "from" | "at">, outcome: GossipOutcome): void {
    const { penalties, logger, deadlineMs } = this.#options;
    const { result, tolerance, reason } = outcome;
    const { key, from, at } = message;
    this.#report(key, from, result);
    if (lane !== undefined) {
      lane.counts[COUNTED[result]]++;
      if (result === "accept" && performance.now() - at > deadlineMs) lane.counts.late++;
    }
    if (result === "reject") {
      const topic = lane?.topic.name;
      logger.debug(
        { topic, id: messageIdText(key), peer: from, reason },
        "rejected a message of peer {peer}: {reason}",
      );
      try {
        if (tolerance !== undefined) penalties.penalize(from, tolerance, reason ?? "an invalid message");
      } catch (error) {
        logger.error({ err: error, peer: from }, "a peer could not be penalized");
      }
      forgetScore(this.#options.router, from);
    }
    if (outcome.process !== undefined) track(this.#processings, this.#process(outcome, key));
  }

  async #process({ process }: GossipOutcome, key: string): Promise<void> {
    try {
      await process?.();
    } catch (error) {
      this.#options.logger.error(
        { err: error, id: messageIdText(key) },
        "a message that was accepted could not be processed",
      );
    }
  }

  #report(key: string, from: string, result: GossipOutcome["result"]): void {
    try {
      this.#options.router.reportMessageValidationResult(key, from, result);
    } catch (error) {
      this.#options.logger.error(
        { err: error, id: messageIdText(key) },
        "the verdict on a message could not be reported",
      );
    }
  }
}

/** Keeps work that never rejects in a set until it ends. */
function track(running: Set<Promise<void>>, work: Promise<void>): void {
  running.add(work);
  void work.then(() => running.delete(work));
}

const COUNTED = { accept: "accepted", ignore: "ignored", reject: "rejected" } as const;

/** The outcome for an error of decoding or validating: only what the sender caused counts against it. */
function faultOf(error: unknown): GossipOutcome {
  if (error instanceof DecodeError) return { result: "reject", tolerance: "low", reason: error.message };
  return { result: "ignore", reason: "it could not be validated" };
}
