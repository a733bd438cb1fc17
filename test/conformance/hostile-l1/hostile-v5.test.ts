import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { L1Error } from "../../../src/l1/errors.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
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
const PRUNABLE = "says that checkpoints can be pruned";

/**
 * `height` is an L1 block, with final ones of the rollup below it. `earlier` is an L2 block to which the node is rolled
 * back; messages are between them.
 */
const CHAINS = [
  // Every checkpoint counts as proven at once, so that pruning is never asked about.
  { recorded: "chain", height: 110, earlier: 10, lies: LIES.filter(({ name }) => name !== PRUNABLE), short: 4 },
  { recorded: "pruned-chain", height: 104, earlier: 2, lies: LIES, short: 10 },
] as const;

const core = loadCore();

describe.each(CHAINS)("on the recorded $recorded", ({ recorded, height, earlier, lies, short }) => {
  const every = rounds(1, short);
  const rows = lies.filter(({ name }, i) => i % every === 0 || name === PRUNABLE);
  let l1: ServedRecording;
  let proxy: LyingL1;
  let node: Follower;
  let honest: Follower;

  const followed = (url: string) => ({
    l1RpcUrls: [url],
    blobStore: l1.blobStore,
    timeoutMs: PATIENCE_MS,
    rollup: {
      registryAddress: V5_CHAINS[recorded],
      prefundAddresses: [fromHex("0x0ea5e3299643640e61f66001d44b91810255d9b6e3137dfab744562097e445b3")],
    },
  });

  beforeAll(async () => {
    l1 = await ServedRecording.start(recorded);
    l1.until = height;
    proxy = await LyingL1.inFrontOf(l1.url);
    node = await Follower.fresh(core, followed(proxy.url));
    l1.until++;
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

  async function connectDespite(): Promise<void> {
    const connected = await connectRollup({
      ...{ l1RpcUrls: [proxy.url], l1ChainId: 31337, registryAddress: V5_CHAINS[recorded] },
      ...{ ethereumSlotDuration: 12, retryDelaysMs: [], timeoutMs: PATIENCE_MS },
    }).catch((error: unknown) => error);
    if (connected instanceof Error) expect(connected).toBeInstanceOf(L1Error);
  }

  async function syncDespite(): Promise<void> {
    const failure = await node.synchronizer.syncOnce().then(
      () => undefined,
      (error: unknown) => error,
    );
    // These are faults of the program, not of L1.
    expect(failure).not.toBeInstanceOf(TypeError);
    expect(failure).not.toBeInstanceOf(RangeError);
  }

  test.each(rows)("a node follows a v5 rollup on an L1 endpoint that $name again, once it stops", async ({ lie }) => {
    expect(node.services.chain.generation).toBe(V5);
    // The lie while the node connects, and while checkpoints and messages are read from a head that it never saw. Some
    // are told of what only one of the two asks for.
    l1.until = height;
    await node.synchronizer.rollBackTo(earlier);
    proxy.lies = 0;
    proxy.lie = lie;
    await connectDespite();
    const { calls } = proxy;
    for (let i = 0; i < 2 || (i < 7 && proxy.lies === 0); i++) await syncDespite();
    expect(proxy.lies).toBeGreaterThan(0);
    expect(proxy.calls - calls).toBeLessThan(2000);
    proxy.lie = undefined;
    l1.until = height + 1;
    await node.sync();
    const { world, ...others } = stateOf(node);
    const expected = stateOf(honest);
    // States that an endpoint called final may be dropped; only an operator makes them pending again.
    expect(world.finalized).toBeGreaterThanOrEqual(expected.world.finalized);
    expect({ world: { ...world, finalized: expected.world.finalized }, ...others }).toEqual(expected);
  });
});
