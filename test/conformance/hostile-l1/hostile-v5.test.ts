import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { rounds } from "../../support/soak.ts";
import { LIES } from "../../world/l1/lies.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { ServedRecording, V5_CHAINS } from "../../world/l1/served-recording.ts";
import { Follower } from "../../world/node/follower.ts";
import { stateOf } from "./state.ts";

/** Timeout of one exchange in milliseconds, for lies that never end their answer. */
const PATIENCE_MS = 1000;
/** Recorded L1 block, with a few checkpoints and messages below it. */
const HEIGHT = 60;
/** Every checkpoint counts as proven at once, so that pruning is never asked about. */
const UNHEARD = "says that checkpoints can be pruned";
const rows = LIES.filter(({ name }, i) => name !== UNHEARD && i % rounds(1, 4) === 0);

const core = loadCore();
let l1: ServedRecording;
let proxy: LyingL1;
let node: Follower;
let honest: Follower;

const followed = (url: string) => ({
  l1RpcUrls: [url],
  blobStore: l1.blobStore,
  timeoutMs: PATIENCE_MS,
  rollup: {
    registryAddress: V5_CHAINS.chain,
    prefundAddresses: [fromHex("0x0ea5e3299643640e61f66001d44b91810255d9b6e3137dfab744562097e445b3")],
  },
});

beforeAll(async () => {
  l1 = await ServedRecording.start("chain");
  l1.until = HEIGHT;
  proxy = await LyingL1.inFrontOf(l1.url);
  node = await Follower.fresh(core, followed(proxy.url));
  honest = await Follower.fresh(core, { ...followed(l1.url), timeoutMs: undefined });
});
afterAll(async () => {
  await node?.remove();
  await honest?.remove();
  await proxy?.close();
  await l1?.stop();
});

/** Replaces the node after a failed test, so that a harmful lie fails only its own test. */
afterEach(async ({ task }) => {
  proxy.lie = undefined;
  if (task.result?.state !== "fail") return;
  await node.remove();
  node = await Follower.fresh(core, followed(proxy.url));
});

test.each(rows)("a node follows a v5 rollup on an L1 endpoint that $name again, once it stops", async ({ lie }) => {
  const { chain } = node.services;
  expect(chain.generation).toBe(V5);
  // The lie while the last checkpoints are read again and L1 has a new block.
  await node.synchronizer.rollBackTo(chain.latestBlockNumber() - 3);
  l1.until++;
  proxy.lies = 0;
  proxy.lie = lie;
  const { calls } = proxy;
  for (let i = 0; i < 2; i++) {
    const failure = await node.synchronizer.syncOnce().then(
      () => undefined,
      (error: unknown) => error,
    );
    // These are faults of the program, not of L1.
    expect(failure).not.toBeInstanceOf(TypeError);
    expect(failure).not.toBeInstanceOf(RangeError);
  }
  expect(proxy.lies).toBeGreaterThan(0);
  expect(proxy.calls - calls).toBeLessThan(2000);
  proxy.lie = undefined;
  l1.until++;
  await node.sync();
  await honest.sync();
  expect(stateOf(node)).toEqual(stateOf(honest));
});
