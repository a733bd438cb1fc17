import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { GROUPS, idleReason, type Option, SUBSYSTEMS } from "../../src/config/kinds/option.ts";
import { Secret } from "../../src/config/kinds/secret.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey } from "../../src/config/options.ts";
import { PRESETS } from "../../src/config/presets.ts";

const rows = OPTION_KEYS.map((key): [OptionKey, Option] => [key, OPTIONS[key] as Option]);
const names = (): string[] => rows.flatMap(([, { flags, env }]) => [...flags, ...env]);

interface ReferenceOption {
  flag: string | null;
  env: string[];
  default: string | null;
}
const reference: ReferenceOption[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "fixtures", "vectors", "reference-options.json"), "utf8"),
).options;

test("every flag and every variable belongs to one option", () => {
  expect(new Set(names()).size).toBe(names().length);
});

test("every option has a flag or variable, except the one that only the admin API sets", () => {
  const closed = rows.filter(([, { flags, env }]) => flags.length + env.length === 0).map(([key]) => key);
  expect(closed).toEqual(["slashSelfAllowed"]);
});

test("every default equals its shown text when parsed", () => {
  const wrong = rows.filter(([, { kind, default: value }]) => {
    if (value === undefined || value instanceof Secret || kind.show(value) === "") return false;
    const again = kind.parse(kind.show(value));
    return again === undefined || kind.show(again) !== kind.show(value) || typeof again !== typeof value;
  });
  expect(wrong.map(([key]) => key)).toEqual([]);
});

test("all groups and subsystems of options are used, and idle options give their reason", () => {
  expect(new Set(rows.map(([, { group }]) => group))).toEqual(new Set(GROUPS));
  expect(new Set(rows.map(([, { usedBy }]) => usedBy))).toEqual(new Set(Object.keys(SUBSYSTEMS)));
  expect(idleReason(OPTIONS.node as Option)).toBeUndefined();
  expect(idleReason(OPTIONS.txe as Option)).toBe("not available yet");
  expect(idleReason(OPTIONS.worldStateDataDirectory as Option)).toBe("no effect");
});

test("every number option is bounded, and times fit a timer", () => {
  const unbounded = rows.filter(([key, { kind }]) => {
    if (key === "l1ChainId" || kind.secrets !== undefined) return false;
    if (kind.name === "big integer") return kind.parse(String(2n ** 256n)) !== undefined;
    if (/^(list of )?(integer|decimal)/.test(kind.name)) return kind.parse(`9${"0".repeat(15)}`) !== undefined;
    return kind.name === "size" && kind.parse(`${Number.MAX_SAFE_INTEGER}b`) !== undefined;
  });
  expect(unbounded.map(([key]) => key)).toEqual([]);
  const times = rows.filter(([key, { meaning }]) => /ms$/i.test(key) || /\bin ms$/.test(meaning));
  expect(times.length).toBeGreaterThan(40);
  expect(times.filter(([, { kind }]) => kind.parse(String(2 ** 31)) !== undefined).map(([key]) => key)).toEqual([]);
  expect(times.filter(([, { kind }]) => kind.parse(String(2 ** 31 - 1)) === undefined).map(([key]) => key)).toEqual([]);
});

test("every rule of an option starts with must, and every meaning fits a table cell", () => {
  for (const [, { kind, meaning }] of rows) {
    expect(kind.rule).toMatch(/^must /);
    expect(meaning).not.toMatch(/[|\n]|^\s|\s$/);
  }
});

describe("options of the reference", () => {
  /** Names that this node does not have. */
  const RETIRED = ["SEQ_MAX_TX_PER_BLOCK"];

  test("all options of the reference exist with their flags and variables", () => {
    const known = new Set(names());
    const wanted = reference.flatMap(({ flag, env }) => [...(flag === null ? [] : [flag]), ...env]);
    expect(wanted.filter((name) => !known.has(name) && !RETIRED.includes(name))).toEqual([]);
  });

  test("options have the defaults of the reference, with the listed exceptions", () => {
    const byName = new Map(rows.flatMap(([, row]) => [...row.flags, ...row.env].map((name) => [name, row])));
    const others: Record<string, unknown> = {};
    for (const { flag, env, default: text } of reference) {
      const name = env[0] !== undefined && !RETIRED.includes(env[0]) ? env[0] : (flag ?? "");
      const row = byName.get(name);
      if (row === undefined || row.group === "Modes" || row.kind.secrets !== undefined) continue;
      const shown = row.default === undefined ? null : row.kind.show(row.default) || null;
      const value = text === null ? undefined : row.kind.parse(text);
      const wanted = value === undefined ? null : row.kind.show(value);
      if (shown !== wanted) others[name] = shown;
    }
    expect(others).toEqual({
      AZTEC_SLASHING_VETOER: `0x${"00".repeat(20)}`,
      BLOB_HEALTHCHECK_UPLOAD_INTERVAL_MINUTES: "60",
      BOT_TOKEN_SALT: `0x${"00".repeat(31)}01`,
      L1_CHAIN_ID: "31337",
      NETWORK: "local",
      PROVER_TEST_VERIFICATION_DELAY_MS: "0",
      ROLLUP_VERSION: "canonical",
      SEQ_PER_BLOCK_ALLOCATION_MULTIPLIER: "2",
    });
  });
});

test.each(["devnet", "testnet", "mainnet"] as const)("preset %s sets known options to valid values", (network) => {
  const preset = PRESETS[network] ?? {};
  const known = new Set(names());
  expect(Object.keys(preset).filter((name) => !known.has(name))).toEqual([]);
  const { values, origins } = configure({
    flags: new Map(),
    environment: { NETWORK: network },
    homeDirectory: "/home/u",
  });
  expect(values).toMatchObject({
    p2pEnabled: true,
    blockDurationMs: 6000,
    l1ChainId: network === "mainnet" ? 1 : 11155111,
    dataDirectory: `/home/u/.aztec/${network}/data`,
  });
  expect(origins.blockDurationMs).toEqual({ kind: "preset", name: "SEQ_BLOCK_DURATION_MS", network });
});

test("presets have the values of their networks", () => {
  const of = (network: string) => configure({ flags: new Map([["--network", network]]), environment: {} }).values;
  expect(of("mainnet")).toMatchObject({
    activationThreshold: 2n * 10n ** 23n,
    slashAmountSmall: 2n * 10n ** 21n,
    slashingQuorum: 65,
    maxTxsPerCheckpoint: 72,
    entryQueueBootstrapValidatorSetSize: 500,
    slashGracePeriodL2Slots: 8400,
    blobAllowEmptySources: true,
  });
  expect(of("alpha-testnet")).toEqual(of("testnet"));
  expect(of("devnet")).toMatchObject({ aztecEpochDuration: 8, testAccounts: true, maxTxsPerBlock: undefined });
  expect(of("next-net")).toMatchObject({ p2pEnabled: false, l1ChainId: 31337 });
  expect(of("local").dataDirectory).toBeUndefined();
});
