import type { Topic } from "../../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import type { GossipRouter } from "../../../src/p2p/patches/gossipsub/gossip-router.ts";
import { wrapper } from "../live/decoders.ts";

export interface Verdict {
  key: string;
  from: string;
  result: string;
}

/** Gossipsub's part of a receiver: delivers messages and records verdicts. */
export class FakeRouter extends EventTarget {
  readonly subscribed: string[] = [];
  readonly verdicts: Verdict[] = [];
  readonly score = { scoreCache: new Map<string, unknown>() };
  readonly acceptFromWhitelist = new Map<string, unknown>();
  readonly version: string;

  constructor(version: string) {
    super();
    this.version = version;
  }

  subscribe(topic: string): void {
    this.subscribed.push(topic);
  }

  reportMessageValidationResult(key: string, from: string, result: string): void {
    this.verdicts.push({ key, from, result });
  }

  asRouter(): GossipRouter {
    return this as unknown as GossipRouter;
  }

  /** A wrapped message from a peer. */
  deliver(topic: Topic, { key, from = "peer", payload = key }: { key: string; from?: string; payload?: string }): void {
    this.deliverRaw(topicString(topic, this.version), { key, from, data: wrapper.wrap(Buffer.from(payload), topic) });
  }

  deliverRaw(topic: string, { key, from, data }: { key: string; from: string; data: Uint8Array }): void {
    const detail = { propagationSource: { toString: () => from }, msgId: key, msg: { type: "unsigned", topic, data } };
    this.dispatchEvent(new CustomEvent("gossipsub:message", { detail }));
  }

  verdictOn(key: string): string | undefined {
    return this.verdicts.find((verdict) => verdict.key === key)?.result;
  }
}
