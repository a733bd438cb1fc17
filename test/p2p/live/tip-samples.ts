import { call } from "../../world/live/json-rpc.ts";

interface Tips {
  proposed: { number: number; hash: string };
  checkpointed: { block: { number: number } };
}

/** Counts over samples of the tips of our node and of one reference node. */
export class TipSamples {
  samples = 0;
  /** Samples in which the proposed tip was ahead of the checkpointed one. */
  ahead = { ours: 0, theirs: 0 };
  /** Samples with the same proposed block. */
  same = 0;
  /** Most blocks that our proposed tip was behind. */
  maxBehind = 0;
  failed = 0;

  async take(ours: string, theirs: string): Promise<void> {
    try {
      const [own, other] = (await Promise.all([
        call(ours, "node_getL2Tips"),
        call(theirs, "node_getL2Tips"),
      ])) as Tips[];
      this.samples++;
      if (own.proposed.number > own.checkpointed.block.number) this.ahead.ours++;
      if (other.proposed.number > other.checkpointed.block.number) this.ahead.theirs++;
      if (own.proposed.number === other.proposed.number && own.proposed.hash === other.proposed.hash) this.same++;
      this.maxBehind = Math.max(this.maxBehind, other.proposed.number - own.proposed.number);
    } catch {
      this.failed++;
    }
  }
}
