import { describe, expect, test } from "vitest";
import { adminRows } from "../../../src/config/admin-keys.ts";
import { configure } from "../../../src/config/configuration.ts";
import { isLive, pathOf } from "../../../src/config/part-values.ts";
import {
  ConfigRefusedError,
  type ConfigurableParts,
  LiveConfig,
  type LivePart,
} from "../../../src/node/services/live-config.ts";
import { adminKeys } from "../../../src/node/settings/admin-keys.ts";
import { adminValues } from "../../../src/node/settings/admin-values.ts";
import type { Issue } from "../../../src/rpc/codecs/json/codec.ts";

const KEYS = adminKeys();
const ROWS = adminRows();
const NAMES = [...KEYS.keys()];

/** A configuration over parts that record what they are given; those in `absent` are missing. */
function live(
  flags: Record<string, string> = {},
  environment: Record<string, string> = {},
  absent: readonly LivePart[] = [],
) {
  const configured: [LivePart, object][] = [];
  const part = (name: LivePart) =>
    absent.includes(name)
      ? undefined
      : { configure: (changes: object) => void configured.push([name, changes]), check: undefined };
  const parts: ConfigurableParts = {
    sync: part("sync"),
    pool: part("pool"),
    checks: part("checks"),
    sequencer: part("sequencer"),
    p2p: part("p2p"),
    validator: part("validator"),
    sentinel: part("sentinel"),
    slasher: part("slasher"),
  };
  const { values } = configure({ flags: new Map(Object.entries(flags)), environment });
  return { config: new LiveConfig(adminValues(values), parts), configured, parts };
}

function read(name: string, sent: unknown): unknown {
  const issues: Issue[] = [];
  const value = KEYS.get(name)?.codec.read(sent, [name], issues);
  return issues.length === 0 ? value : undefined;
}

/** A valid value of a key that differs from its current one. */
function otherValue(name: string, current: unknown): unknown {
  const address = `0x${"0b".repeat(32)}`;
  const sent = [true, false, 7, 0.5, "9", "realistic", "text", [3], `0x${"0c".repeat(20)}`, address];
  const lists = [[`0x${"0c".repeat(20)}`], [{ address, selector: "0x01020304", onlySelf: true }], ["text"]];
  for (const candidate of [...sent, ...lists]) {
    let value: unknown;
    try {
      value = read(name, candidate);
    } catch {
      continue;
    }
    if (value !== undefined && String(value) !== String(current)) return value;
  }
  return expect.fail(`no value for ${name}`);
}

test("the live configuration starts from the options, whose values obey the rules of the keys", () => {
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
    const sent = typeof value === "bigint" ? value.toString() : value;
    expect({ name, read: read(name, sent) }).toEqual({ name, read: value });
  }
});

describe("live configuration keys", () => {
  test.each(NAMES)("key %s is applied at once, or refused with its name and the reason", (name) => {
    const { config, configured } = live();
    const before = config.current();
    const value = otherValue(name, before[name]);
    const row = ROWS.get(name);
    if (row?.admin.refused !== undefined) {
      expect(() => config.change({ minTxsPerBlock: 9, [name]: value })).toThrow(`${name}: ${row.admin.refused}`);
      expect(config.current()).toEqual(before);
      expect(configured).toEqual([]);
    } else {
      const was = config.live();
      config.change({ [name]: value });
      expect(config.current()).toEqual({ ...before, [name]: value });
      const places = row?.to.filter(isLive).map((place) => pathOf(place).split(".")) ?? [];
      expect(places.length).toBeGreaterThan(0);
      const membersOf = (part: string): Record<string, unknown> => config.live()[part as LivePart];
      expect(configured).toEqual(places.map(([part, member]) => [part, { [member]: membersOf(part)[member] }]));
      expect(config.live()).not.toEqual(was);
    }
  });

  test("setting all keys to their current values is accepted and changes nothing", () => {
    const { config, configured } = live({}, { PROVER_REAL_PROOFS: "0", SLASH_UNKNOWN_PENALTY: "5" });
    const before = config.current();
    config.change(before);
    config.change({});
    expect(config.current()).toEqual(before);
    expect(configured).toEqual([]);
  });
});

test("a key of several parts is applied to those that the node has, and refused without any", () => {
  const disabledValidators = [`0x${"0c".repeat(20)}`];
  const { config, configured } = live({}, {}, ["validator"]);
  config.change({ disabledValidators });
  expect(configured).toEqual([["sequencer", { disabledValidators }]]);
  const neither = live({}, {}, ["sequencer", "validator"]);
  expect(() => neither.config.change({ disabledValidators })).toThrow("this node runs no sequencer");
});

test("changed keys of one part reach it in one call", () => {
  const { config, configured } = live();
  config.change({ archiverPollingIntervalMS: 50, archiverBatchSize: 9, disableTransactions: true });
  config.change({ validateMaxL2BlockGas: 5 });
  config.change({ validateMaxDABlockGas: 6 });
  expect(configured).toEqual([
    ["sync", { pollingIntervalMs: 50, batchSize: 9 }],
    ["checks", { permitted: false }],
    ["checks", { validatorGasLimits: { l2Gas: 5, daGas: undefined } }],
    ["checks", { validatorGasLimits: { l2Gas: 5, daGas: 6 } }],
  ]);
});

test("penalties and lists of validators reach the slasher, addresses in lower case", () => {
  const { config, configured } = live();
  const upper = `0x${"AB".repeat(20)}`;
  const slashValidatorsNever = read("slashValidatorsNever", [upper]);
  config.change({ slashDuplicateProposalPenalty: 5n, slashValidatorsNever, slashSelfAllowed: true });
  config.change({ slashOverridePayload: read("slashOverridePayload", upper) });
  const lower = upper.toLowerCase();
  expect(configured).toEqual([
    ["slasher", { duplicateProposalPenalty: 5n, validatorsNever: [lower], selfAllowed: true }],
    ["slasher", { overridePayload: lower }],
  ]);
});

test("entries of the setup allow list reach the tx checks in binary form", () => {
  const { config, configured } = live();
  const classId = `0x${"0a".repeat(32)}`;
  config.change({
    txPublicSetupAllowListExtend: [{ classId, selector: "0x01020304", calldataLength: 2, rejectNullMsgSender: false }],
  });
  const entry = { classId: Buffer.alloc(32, 10), selector: Buffer.of(1, 2, 3, 4), calldataLength: 2 };
  expect(configured).toEqual([
    [
      "checks",
      { setupAllowList: [{ ...entry, classId: Uint8Array.from(entry.classId), selector: Uint8Array.of(1, 2, 3, 4) }] },
    ],
  ]);
});

test("a change with refused keys names each with its reason and changes nothing", () => {
  const { config, configured } = live({}, {}, ["sequencer", "slasher"]);
  const before = config.current();
  expect(() =>
    config.change({
      archiverBatchSize: 9,
      realProofs: false,
      minTxsPerBlock: 3,
      slashSelfAllowed: true,
      maxTxsPerBlock: 2,
    }),
  ).toThrow(
    "realProofs: is read at the start only: set PROVER_REAL_PROOFS and start the node again. " +
      "minTxsPerBlock, maxTxsPerBlock: this node runs no sequencer. " +
      "slashSelfAllowed: this node runs no slasher. Nothing was changed",
  );
  expect(config.current()).toEqual(before);
  expect(configured).toEqual([]);
});

test("a changed number must stay within the bounds of its option", () => {
  const { config } = live();
  for (const change of [{ sequencerPollingIntervalMS: 1e15 }, { maxPendingTxCount: 1e15 }, { minTxsPerBlock: 0.5 }]) {
    const [name] = Object.keys(change);
    expect(() => config.change(change)).toThrow(
      new RegExp(`^${name}: must be a whole decimal number from . to \\d+\\.`),
    );
  }
});

test("a change that one part refuses reaches no part", () => {
  const { config, configured, parts } = live();
  const before = config.current();
  Object.assign(parts.sequencer ?? {}, {
    check() {
      throw new ConfigRefusedError([{ fields: ["blockDurationMs"], rule: "must not be 9" }]);
    },
  });
  expect(() => config.change({ blockDurationMs: 9, archiverBatchSize: 2 })).toThrow(/^blockDurationMs: must not be 9/);
  expect(config.current()).toEqual(before);
  expect(configured).toEqual([]);
});
