import fc from "fast-check";
import type { FakeL1 } from "./fake-l1.ts";

/** Something that happens on L1, in proportions that make all of it meet. */
export const l1Happening = [
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("propose" as const),
      blocks: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("send" as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("prove" as const), share: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("replace" as const), share: fc.nat(100) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("reorg" as const),
      depth: fc.integer({ min: 1, max: 6 }),
      again: fc.boolean(),
      delay: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("return" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), blocks: fc.integer({ min: 1, max: 6 }) }) },
] as const;

export type L1Happening = (typeof l1Happening)[number]["arbitrary"] extends fc.Arbitrary<infer T> ? T : never;

/** Makes things happen on an L1 one after the other. */
export class RandomL1 {
  readonly l1: FakeL1;
  #undoReorg = (): void => {};
  #highest = 0;

  constructor(l1: FakeL1) {
    this.l1 = l1;
  }

  happen(step: L1Happening): void {
    const { l1 } = this;
    const { pending, proven } = l1.state();
    const between = (share: number) => proven + Math.floor((share / 100) * (pending.length - proven));
    if (step.do === "propose") l1.propose(step.blocks);
    else if (step.do === "send") l1.send(step.count);
    else if (step.do === "prove") l1.mine({ proven: between(step.share) });
    else if (step.do === "replace") l1.propose([1], { cutTo: between(step.share) });
    else if (step.do === "reorg") this.#undoReorg = l1.reorg(step.depth, step.again, step.delay);
    else if (step.do === "return") {
      this.#undoReorg();
      this.#undoReorg = () => {};
    } else for (let i = 0; i < step.blocks; i++) l1.mine();
    this.#highest = Math.max(this.#highest, l1.height);
  }

  /** Mines beyond any height that was read before the last reorg, because a shorter L1 triggers no sync. */
  outgrow(): void {
    do this.l1.mine();
    while (this.l1.height <= this.#highest);
  }
}
