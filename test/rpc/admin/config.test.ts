import { describe, expect, test } from "vitest";
import { adminKeys } from "../../../src/node/settings/admin-keys.ts";
import { adminCalls } from "../../world/rpc/admin-calls.ts";

const EACH = [
  ["svcAdmin", "svc"],
  ["nodeAdmin", "node"],
] as const;

describe.each(EACH)("configuration over %s", (namespace, generation) => {
  test("getConfig has the keys of its generation that are set, amounts as text", async () => {
    const { answer } = await adminCalls().call(`${namespace}_getConfig`);
    const config = answer.result as Record<string, unknown>;
    const own = [...adminKeys()].filter(([, { only = generation }]) => only === generation).map(([name]) => name);
    expect(own.filter((name) => name in config)).toEqual(Object.keys(config));
    expect(own).toContain("databaseUrl");
    expect(Object.keys(config)).not.toContain("databaseUrl");
    expect(config).toMatchObject({
      sequencerPollingIntervalMS: 500,
      slashInactivityPenalty: "10000000000000000000",
      slashValidatorsNever: [],
      proverTestDelayType: "fixed",
      archiverBatchSize: 100,
    });
    expect("slashPrunePenalty" in config).toBe(generation === "node");
    expect("slashDataWithholdingToleranceSlots" in config).toBe(generation === "svc");
  });

  test("setConfig accepts the answer of getConfig", async () => {
    const { call, done } = adminCalls();
    await call(`${namespace}_setConfig`, [{ databaseUrl: "postgres://user:password@host/db" }]);
    const before = (await call(`${namespace}_getConfig`)).answer.result;
    expect((await call(`${namespace}_setConfig`, [before])).answer.error).toBeUndefined();
    expect((await call(`${namespace}_getConfig`)).answer.result).toEqual(before);
    expect(Object.keys(done[1][1] as object)).not.toContain("databaseUrl");
  });

  test("setConfig changes the given keys and keeps the others", async () => {
    const { call, done } = adminCalls();
    const selector = "0x12345678";
    const given = {
      minTxsPerBlock: 0,
      coinbase: `0x${"AB".repeat(20)}`,
      feeRecipient: `0x${"0a".repeat(32)}`,
      slashInactivityPenalty: "25",
      slashUnknownPenalty: 7,
      archiverPollingIntervalMS: "250",
      slashValidatorsAlways: [`0x${"01".repeat(20)}`],
      txPublicSetupAllowListExtend: [{ address: `0x${"02".repeat(32)}`, selector, onlySelf: true, calldataLength: 3 }],
    };
    const { answer } = await call(`${namespace}_setConfig`, [given]);
    expect(answer).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    expect(done).toEqual([
      [
        "change",
        {
          ...given,
          coinbase: `0x${"ab".repeat(20)}`,
          slashInactivityPenalty: 25n,
          slashUnknownPenalty: 7n,
          archiverPollingIntervalMS: 250,
        },
      ],
    ]);
    const { result } = (await call(`${namespace}_getConfig`)).answer;
    expect(result).toMatchObject({ minTxsPerBlock: 0, slashInactivityPenalty: "25", sequencerPollingIntervalMS: 500 });
    expect((await call(`${namespace}_setConfig`, [{}])).answer.error).toBeUndefined();
  });

  test("getConfig never shows a secret", async () => {
    const { call } = adminCalls();
    await call(`${namespace}_setConfig`, [{ databaseUrl: "postgres://user:password@host/db" }]);
    const { result } = (await call(`${namespace}_getConfig`)).answer;
    expect(result).toMatchObject({ databaseUrl: "[Redacted]" });
    expect(JSON.stringify(result)).not.toContain("password");
  });

  test("setConfig refuses the whole call over unknown and invalid keys, and names each", async () => {
    const { call, done } = adminCalls();
    const { status, answer } = await call(`${namespace}_setConfig`, [
      {
        minTxsPerBlock: 2,
        maxTxPerBlock: 3,
        enforceTimetable: true,
        maxPendingTxCount: "many",
        coinbase: "0x12",
        feeRecipient: `0x${"ff".repeat(32)}`,
        skipPublishingCheckpointsPercent: 101,
        blockDurationMs: 0,
        proverTestDelayType: "slow",
        slashUnknownPenalty: -1,
        archiverBatchSize: 0,
        disableValidator: null,
        disabledValidators: [1],
        txPublicSetupAllowListExtend: [{ selector: "0x12345678" }],
      },
    ]);
    expect(status).toBe(400);
    expect(answer.error?.code).toBe(-32701);
    expect(answer.error?.message).toBe(
      [
        "Unrecognized key (0.maxTxPerBlock)",
        "Unrecognized key (0.enforceTimetable)",
        "Expected number, received string (0.maxPendingTxCount)",
        "Not a valid instance (0.coinbase)",
        `Value 0x${"ff".repeat(32)} is greater or equal to field modulus. (0.feeRecipient)`,
        "Number must be less than or equal to 100 (0.skipPublishingCheckpointsPercent)",
        "Number must be greater than 0 (0.blockDurationMs)",
        "Invalid enum value. Expected 'fixed' | 'realistic', received 'slow' (0.proverTestDelayType)",
        "Number must be greater than or equal to 0 (0.slashUnknownPenalty)",
        "Number must be greater than or equal to 1 (0.archiverBatchSize)",
        "Expected boolean, received null (0.disableValidator)",
        "Expected string, received number (0.disabledValidators.0)",
        "Exactly one of address and classId is needed (0.txPublicSetupAllowListExtend.0)",
      ].join(". "),
    );
    expect(done).toEqual([]);
  });

  test.each([[[]], [[null]], [["text"]], [[[1]]]])("setConfig refuses the parameters %j", async (params) => {
    const { call, done } = adminCalls();
    expect((await call(`${namespace}_setConfig`, params)).answer.error?.code).toBe(-32701);
    expect(done).toEqual([]);
  });
});

test("setConfig refuses a key of the other generation as unknown", async () => {
  const { call } = adminCalls();
  const message = "Unrecognized key (0.slashPrunePenalty)";
  expect((await call("svcAdmin_setConfig", [{ slashPrunePenalty: 1 }])).answer.error?.message).toBe(message);
  expect((await call("nodeAdmin_setConfig", [{ slashPrunePenalty: 1 }])).answer.error).toBeUndefined();
  expect((await call("nodeAdmin_setConfig", [{ minBlockDuration: 1 }])).answer.error?.code).toBe(-32701);
});

test("setConfig refuses keys of Object.prototype as unknown", async () => {
  const { call } = adminCalls();
  const config = JSON.parse('{"__proto__":{"minTxsPerBlock":9},"constructor":1}');
  expect((await call("svcAdmin_setConfig", [config])).answer.error?.message).toBe(
    "Unrecognized key (0.__proto__). Unrecognized key (0.constructor)",
  );
});
