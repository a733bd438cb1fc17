import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { configuredGroup, openNodeSigningGuard } from "../../../src/node/keys/signing-guard.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { ROLLUP, TIMES } from "../../world/validator/requests.ts";

const URL_WITH_PASSWORD = "postgresql://svc:secret-word@127.0.0.1:1/duties";
const valuesOf = (environment: Record<string, string>) =>
  partValues(configure({ flags: new Map(), environment }).values).signing;

test("without VALIDATOR_HA_SIGNING_ENABLED a node belongs to no high-availability group", () => {
  expect(configuredGroup(valuesOf({ VALIDATOR_HA_DATABASE_URL: URL_WITH_PASSWORD }))).toBeUndefined();
});

test("every VALIDATOR_HA_ variable reaches the guard", () => {
  const environment = {
    VALIDATOR_HA_SIGNING_ENABLED: "true",
    VALIDATOR_HA_DATABASE_URL: URL_WITH_PASSWORD,
    VALIDATOR_HA_NODE_ID: "node-a",
  };
  expect(configuredGroup(valuesOf(environment))).toEqual({
    databaseUrl: URL_WITH_PASSWORD,
    nodeId: "node-a",
    pollingIntervalMs: 100,
    signingTimeoutMs: 3000,
    stuckAgeMs: undefined,
    signedAgeHours: undefined,
    pool: { maxConnections: 10, minConnections: 0, idleTimeoutMs: 10_000, connectionTimeoutMs: 0 },
  });
  const all = {
    ...environment,
    VALIDATOR_HA_POLLING_INTERVAL_MS: "1",
    VALIDATOR_HA_SIGNING_TIMEOUT_MS: "2",
    VALIDATOR_HA_MAX_STUCK_DUTIES_AGE_MS: "3",
    VALIDATOR_HA_OLD_DUTIES_MAX_AGE_H: "4",
    VALIDATOR_HA_POOL_MAX: "5",
    VALIDATOR_HA_POOL_MIN: "6",
    VALIDATOR_HA_POOL_IDLE_TIMEOUT_MS: "7",
    VALIDATOR_HA_POOL_CONNECTION_TIMEOUT_MS: "8",
  };
  expect(configuredGroup(valuesOf(all))).toMatchObject({
    pollingIntervalMs: 1,
    signingTimeoutMs: 2,
    stuckAgeMs: 3,
    signedAgeHours: 4,
    pool: { maxConnections: 5, minConnections: 6, idleTimeoutMs: 7, connectionTimeoutMs: 8 },
  });
});

test("a node id that does not fit into the database is refused", () => {
  expect(() => valuesOf({ VALIDATOR_HA_NODE_ID: "x".repeat(256) })).toThrow("at most 255 characters");
});

test.each([
  ["VALIDATOR_HA_DATABASE_URL", { VALIDATOR_HA_NODE_ID: "node-a" }],
  ["VALIDATOR_HA_NODE_ID", { VALIDATOR_HA_DATABASE_URL: URL_WITH_PASSWORD }],
])(
  "a start with high-availability signing and without %s fails in one line before anything runs",
  async (name, more) => {
    const folder = mkdtempSync(join(tmpdir(), "svc-ha-start-"));
    try {
      const flags = ["--l1-rpc-urls", "http://127.0.0.1:1", "--registry-address", `0x${"11".repeat(20)}`];
      const environment = { VALIDATOR_HA_SIGNING_ENABLED: "true", ...more };
      const { code, stderr } = await runSvc(["start", "--node", "--data-directory", folder, ...flags], environment);
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^error: high-availability signing needs [^\\n]+: give ${name}\\n$`));
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test("a node whose group's database cannot be reached does not open its guard, and the error has no password", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-ha-open-"));
  try {
    const opening = openNodeSigningGuard({
      values: valuesOf({
        VALIDATOR_HA_SIGNING_ENABLED: "true",
        VALIDATOR_HA_DATABASE_URL: URL_WITH_PASSWORD,
        VALIDATOR_HA_NODE_ID: "node-a",
      }),
      directory: { path: folder },
      identity: { addresses: { rollupAddress: ROLLUP }, constants: TIMES } as never,
      now: Date.now,
      logger: silentLogger,
    });
    await expect(opening).rejects.toThrow(/^high-availability database: nobody listens at its address$/);
    expect(readdirSync(folder)).toEqual(["signing"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
