import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { BbProcess } from "../../../src/mempool/proofs/bb-process.ts";
import { BbProcesses } from "../../../src/mempool/proofs/bb-processes.ts";
import { countedVerifier } from "../../../src/mempool/proofs/metrics.ts";
import { configuredVerifier } from "../../../src/node/mempool/mempool-proofs.ts";
import { poolHealth } from "../../../src/node/services/pool-health.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  availableParallelism: () => 3,
}));

vi.mock("node:timers/promises", () => import("../../support/fakeable-sleep.ts"));

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-proof-options-")));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const surroundings = (logger = silentLogger) => ({ dataDirectory: join(folder, "data"), logger });

/** A verifier with a program that has a version, and otherwise notes its surroundings and ends. */
async function verifierWith(environment: Record<string, string>) {
  const program = join(folder, "bb");
  const noted = join(folder, "noted");
  const note = `echo "$HARDWARE_CONCURRENCY $PWD" > "${noted}.part" && mv "${noted}.part" "${noted}"`;
  writeFileSync(program, `#!/bin/sh\nif [ "$1" = --version ]; then echo 4.1.2; else ${note}; fi\n`);
  chmodSync(program, 0o755);
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: program, ...environment },
  });
  const verifier = await configuredVerifier(partValues(values).proofs, V4, surroundings());
  onTestFinished(() => verifier.close());
  return { verifier, noted };
}

/** Writes a program that has a version and otherwise does this. */
function bbWith(work: string): string {
  const program = join(folder, "bb");
  writeFileSync(program, `#!/bin/sh\nif [ "$1" = --version ]; then echo 4.1.2; else ${work}; fi\n`);
  chmodSync(program, 0o755);
  return program;
}

/** A program that reads its input to the end and answers nothing. */
const neverReady = () => ({ BB_BINARY_PATH: bbWith("cat > /dev/null") });

const [{ tx }] = recordedTxs();

test.each([
  ["1", 1],
  ["2", 2],
  ["1000", 3],
])("BB_NUM_IVC_VERIFIERS=%s: on three processors %i proofs are verified at once", async (option, atOnce) => {
  const held: ((valid: boolean) => void)[] = [];
  const verify = vi.spyOn(BbProcesses.prototype, "verify");
  verify.mockImplementation(() => new Promise((resolve) => held.push(resolve)));
  const { verifier } = await verifierWith({ BB_NUM_IVC_VERIFIERS: option });
  // Closing waits for all verdicts.
  onTestFinished(() => {
    verify.mockResolvedValue(true);
    for (const resolve of held) resolve(true);
  });
  const verdicts = Array.from({ length: 5 }, () => verifier.verify(tx));
  await new Promise(setImmediate);
  expect(held).toHaveLength(atOnce);
  for (let verified = 0; verified < 5; verified++) {
    held[verified](true);
    await verdicts[verified];
    await new Promise(setImmediate);
  }
});

test("BB_IVC_CONCURRENCY and BB_WORKING_DIRECTORY: bb runs with so many threads in this folder", async () => {
  const work = join(folder, "work");
  const { noted } = await verifierWith({ BB_IVC_CONCURRENCY: "7", BB_WORKING_DIRECTORY: work });
  await expect.poll(() => existsSync(noted)).toBe(true);
  expect(readFileSync(noted, "utf8").trim()).toBe(`7 ${work}`);
});

test.each([
  ["true", 1],
  ["false", 0],
])("BB_SKIP_CLEANUP=%s: %i checked proofs are kept in BB_WORKING_DIRECTORY", async (option, kept) => {
  vi.spyOn(BbProcesses.prototype, "verify").mockResolvedValue(true);
  const work = join(folder, "work");
  const { verifier } = await verifierWith({ BB_SKIP_CLEANUP: option, BB_WORKING_DIRECTORY: work });
  expect(await verifier.verify(tx)).toBe(true);
  expect(readdirSync(work).map((name) => readdirSync(join(work, name)).sort())).toEqual(
    kept === 1 ? [["proof", "vk"]] : [],
  );
});

test("PROVER_TEST_VERIFICATION_DELAY_MS: a simulated proof is accepted after it, by default at once", async () => {
  const verifier = (environment: Record<string, string>) => {
    const { values } = configure({ flags: new Map(), environment: { PROVER_REAL_PROOFS: "false", ...environment } });
    return configuredVerifier(partValues(values).proofs, V4, surroundings());
  };
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await (await verifier({})).verify(tx)).toBe(true);
  let accepted: boolean | undefined;
  const slow = await verifier({ PROVER_TEST_VERIFICATION_DELAY_MS: "5000" });
  const verified = slow.verify(tx).then((verdict) => {
    accepted = verdict;
  });
  await vi.advanceTimersByTimeAsync(4999);
  expect(accepted).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await verified;
  expect(accepted).toBe(true);
});

test("a node that stops while bb is being prepared does not log that proofs cannot be checked", async () => {
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (...given: unknown[]) => void errors.push(given) };
  const { values } = configure({ flags: new Map(), environment: { PROVER_REAL_PROOFS: "true", ...neverReady() } });
  const verifier = await configuredVerifier(partValues(values).proofs, V4, surroundings(logger));
  const ready = vi.spyOn(BbProcess.prototype, "close");
  await verifier.close();
  await new Promise(setImmediate);
  expect(ready).toHaveBeenCalled();
  expect(errors).toEqual([]);
});

test("a program that ends while it is being prepared is logged and told by the node's health", async () => {
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (...given: unknown[]) => void errors.push(given) };
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: bbWith("exit 3") },
  });
  const verifier = await configuredVerifier(partValues(values).proofs, V4, surroundings(logger));
  onTestFinished(() => verifier.close());
  await expect.poll(() => errors.length).toBe(1);
  expect(poolHealth(countedVerifier(new Metrics(() => {}), verifier), () => true).read()).toMatchObject({
    state: "failed",
  });
});

test("a program of another generation leaves a node that refuses every transaction with the reason", async () => {
  const warned = vi.fn();
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: bbWith("exit 3") },
  });
  const verifier = await configuredVerifier(
    partValues(values).proofs,
    V5,
    surroundings({ ...silentLogger, warn: warned }),
  );
  const reason = `${join(folder, "bb")} is version 4.1.2; the proofs of this rollup need version 5`;
  expect(warned).toHaveBeenCalledExactlyOnceWith({ reason }, expect.stringContaining("transactions are refused"));
  expect(verifier.missing).toBe(true);
  expect(poolHealth(verifier, () => true).read()).toMatchObject({ state: "failed" });
  await expect(verifier.verify(tx)).rejects.toThrow(reason);
});
