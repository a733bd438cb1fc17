import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../../../src/storage/identity.ts";
import { freePort } from "../../support/free-port.ts";
import { keptDirectory } from "../../world/chain-store/kept-directory.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { V5_CHAIN } from "../../world/l1/recorded-networks.ts";
import { ServedRecording } from "../../world/l1/served-recording.ts";
import { SvcProcess } from "../../world/node/svc-process.ts";
import { v5Environment } from "../../world/node/v5-environment.ts";
import { comparableV5, expectedV5, recordedV5Cases } from "../../world/rpc/recorded-v5-answers.ts";
import "../../support/soak.ts";

/** One of so many of the recorded questions is asked. */
const EVERY = 2;
/** As long as that of the recorded node. */
const HISTORY = { WS_NUM_HISTORIC_CHECKPOINTS: "1000" };
const SYNC_MS = 150_000;
/** Concurrent calls. */
const AT_ONCE = 16;

let folder: string;
let l1: ServedRecording;
let feed: string;
let upstream: SvcProcess;
let follower: SvcProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-v5-follower-"));
  l1 = await ServedRecording.start("chain");
  const port = await freePort();
  feed = `http://127.0.0.1:${port}`;
  upstream = new SvcProcess(
    ["--node", "--data-directory", join(folder, "upstream"), "--port", String(await freePort())],
    {
      ...v5Environment(l1, "chain"),
      ...HISTORY,
      SVC_FEED_PORT: String(port),
    },
  );
  follower = new SvcProcess(
    [
      "--follower",
      "--follower-upstream-url",
      feed,
      "--sync-mode",
      "full",
      "--data-directory",
      join(folder, "follower"),
      "--port",
      "0",
    ],
    { ...HISTORY, PROVER_REAL_PROOFS: "false" },
  );
});
afterAll(async () => {
  await follower?.end("SIGKILL");
  await upstream?.end("SIGKILL");
  await l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const tips = async (process: SvcProcess) => JSON.parse((await process.ask("svc_getChainTips")).text).result;
/** Undefined while the process starts. */
const finalized = (process: SvcProcess): Promise<number | undefined> =>
  tips(process).then(
    (told) => told.finalized.block.number,
    () => undefined,
  );

test("a follower of a node on a v5 rollup comes to its tips, both killed while they sync", async () => {
  l1.until = 150;
  upstream.start();
  follower.start();
  await expect.poll(() => follower.height(), { interval: 20, timeout: SYNC_MS }).toBeGreaterThan(0);
  l1.until = 376;
  await Promise.all([follower.end("SIGKILL"), upstream.end("SIGKILL")]);
  follower.start();
  upstream.start();
  await expect.poll(() => finalized(follower), { timeout: SYNC_MS }).toBe(130);
  expect(await follower.height()).toBe(V5_CHAIN.blocks);
  expect(await tips(follower)).toEqual(await tips(upstream));
});

test("the follower gives the recorded answers of a v5 node, its own and those that it forwards", async () => {
  const cases = recordedV5Cases("chain").filter((_, i) => i % EVERY === 0);
  expect(cases.length).toBeGreaterThan(300);
  for (let from = 0; from < cases.length; from += AT_ONCE) {
    await Promise.all(
      cases.slice(from, from + AT_ONCE).map(async (one) => {
        const method = `aztec_${one.method}`;
        const [own, theirs] = await Promise.all([follower.ask(method, one.params), upstream.ask(method, one.params)]);
        const question = `${method}(${JSON.stringify(one.params).slice(0, 200)})`;
        expect(own, question).toEqual(theirs);
        const { result, error } = JSON.parse(own.text);
        expect(comparableV5(one, { status: own.status, result, error }), question).toEqual(expectedV5(one));
      }),
    );
  }
});

test("a follower with the data directory of a v4 rollup refuses a v5 feed", async () => {
  const directory = keptDirectory(SCHEMA_VERSION - 1);
  try {
    const args = ["--follower", "--follower-upstream-url", feed, "--data-directory", directory, "--port", "0"];
    const { code, stderr } = await runSvc(["start", ...args], { PROVER_REAL_PROOFS: "false" });
    expect(code).toBe(1);
    expect(stderr).toContain("its generation is v4, this node follows v5");
    // The next start asks an upstream again.
    expect(existsSync(join(directory, "upstream-chain.json"))).toBe(false);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
