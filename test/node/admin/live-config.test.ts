import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { ConfigRefusedError } from "../../../src/node/admin/live-config.ts";
import { liveConfig } from "../../../src/node/admin/start-admin.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigKeyName } from "../../../src/rpc/admin/config-keys.ts";
import type { Issue } from "../../../src/rpc/params/codec.ts";

function live(flags: Record<string, string> = {}, environment: Record<string, string> = {}) {
  const configured: object[] = [];
  const { values } = configure({ flags: new Map(Object.entries(flags)), environment });
  const config = liveConfig(values, { configure: (options) => void configured.push(options) });
  return { config, configured };
}

test("it starts from the options, whose values keep the rules of the keys", () => {
  const { config } = live(
    { "--archiver.archiverBatchSize": "7" },
    {
      FEE_RECIPIENT: `0x${"0b".repeat(32)}`,
      VALIDATOR_HA_DATABASE_URL: "postgres://user:password@host/db",
      SEQ_MIN_TX_PER_BLOCK: "4",
    },
  );
  const values = config.current();
  expect(values).toMatchObject({
    archiverBatchSize: 7,
    feeRecipient: `0x${"0b".repeat(32)}`,
    databaseUrl: "postgres://user:password@host/db",
    minTxsPerBlock: 4,
    disableValidator: true,
  });
  for (const [name, value] of Object.entries(values)) {
    const issues: Issue[] = [];
    const sent = typeof value === "bigint" ? value.toString() : value;
    const read = (CONFIG_KEYS[name as ConfigKeyName] as ConfigKey).codec.read(sent, [name], issues);
    expect({ name, issues, read }).toEqual({ name, issues: [], read: value });
  }
});

test("sync heeds its own keys at once, and is not disturbed by others", () => {
  const { config, configured } = live();
  config.change({ archiverPollingIntervalMS: 50, minTxsPerBlock: 3 });
  config.change({ minTxsPerBlock: 2 });
  config.change({ archiverBatchSize: 9 });
  config.change({});
  expect(configured).toEqual([{ pollingIntervalMs: 50 }, { batchSize: 9 }]);
  expect(config.current()).toMatchObject({ archiverPollingIntervalMS: 50, archiverBatchSize: 9, minTxsPerBlock: 2 });
});

test("what a guard refuses changes nothing, and nobody is told", () => {
  const { config, configured } = live();
  const before = config.current();
  config.guard(({ archiverBatchSize }) => {
    if (archiverBatchSize === 9) throw new ConfigRefusedError(["archiverBatchSize"], "must not be 9");
  });
  expect(() => config.change({ archiverBatchSize: 9, minTxsPerBlock: 2 })).toThrow(/^archiverBatchSize: must not be 9/);
  expect(config.current()).toEqual(before);
  config.change({ archiverBatchSize: 8 });
  expect(configured).toEqual([{ batchSize: 8 }]);
});
