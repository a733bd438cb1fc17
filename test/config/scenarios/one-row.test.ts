import { expect, test } from "vitest";
import { configureTable } from "../../../src/config/configuration.ts";
import { integer } from "../../../src/config/kinds/number-kinds.ts";
import { live, rowsOf } from "../../../src/config/kinds/option.ts";
import { OPTIONS } from "../../../src/config/options.ts";
import { partValues, pathOf } from "../../../src/config/part-values.ts";
import { configurationDocument, helpGroups } from "../../../src/config/reference.ts";
import { type ConfigurableParts, LiveConfig } from "../../../src/node/services/live-config.ts";
import { adminValues } from "../../../src/node/settings/admin-values.ts";
import { configCodec } from "../../../src/rpc/admin/config/config-wire.ts";
import type { Issue } from "../../../src/rpc/codecs/json/codec.ts";

/** The whole of a new option. */
const row = rowsOf("Sequencer", "sequencer").withDefault(
  {
    flags: ["--sequencer.maxNaps"],
    env: ["SEQ_MAX_NAPS"],
    kind: integer(0, 9),
    to: [live("sequencer.maxNaps"), "rpc.limits.maxNaps"],
    admin: {},
    meaning: "maximum naps per slot",
  },
  3,
);
const TABLE = { ...OPTIONS, maxNaps: row };

const configured = (flags: [string, string][], environment: Record<string, string> = {}) =>
  configureTable({ flags: new Map(flags), environment }, TABLE);

test("an option is one row: flag, variable, rule, default, help, document, values of parts and admin keys follow", () => {
  expect(configured([["--sequencer.maxNaps", "5"]]).values.maxNaps).toBe(5);
  expect(configured([], { SEQ_MAX_NAPS: "4" }).origins.maxNaps).toEqual({ kind: "environment", name: "SEQ_MAX_NAPS" });
  expect(() => configured([], { SEQ_MAX_NAPS: "10" })).toThrow("must be a whole decimal number from 0 to 9");
  const item = helpGroups(TABLE).flatMap(({ items }) => items.filter(({ note }) => note.includes("naps per slot")));
  expect(item).toEqual([
    { term: "--sequencer.maxNaps <n>", note: "maximum naps per slot (default 3; env SEQ_MAX_NAPS)" },
  ]);
  expect(configurationDocument(TABLE)).toContain(
    "| `--sequencer.maxNaps` | `SEQ_MAX_NAPS` | `3` | maximum naps per slot | must be a whole decimal number from 0 to 9 | sequencer |",
  );

  const { values } = configured([]);
  const parts = partValues(values, TABLE);
  const naps: [number, number] = [parts.sequencer.maxNaps, parts.rpc.limits.maxNaps];
  expect(naps).toEqual([3, 3]);

  const told: object[] = [];
  const sequencer = { configure: (changes: object) => void told.push(changes) };
  const live = { sequencer } as unknown as ConfigurableParts;
  const config = new LiveConfig(adminValues(values, TABLE), live, TABLE);
  expect(config.current()).toMatchObject({ maxNaps: 3 });
  const issues: Issue[] = [];
  config.change(configCodec("node", config.keys).read({ maxNaps: 7 }, [], issues));
  expect(issues).toEqual([]);
  expect(config.current()).toMatchObject({ maxNaps: 7 });
  expect(told).toEqual([{ maxNaps: 7 }]);
  expect(() => config.change({ maxNaps: 10 })).toThrow("maxNaps: must be a whole decimal number from 0 to 9");
});

test("every place belongs to one option, and none lies in another", () => {
  const paths = Object.values(OPTIONS).flatMap(({ to }) => (to as readonly Parameters<typeof pathOf>[0][]).map(pathOf));
  const within = paths.filter((path) => paths.some((other) => path.startsWith(`${other}.`)));
  expect(new Set(paths).size).toBe(paths.length);
  expect(within).toEqual([]);
});
