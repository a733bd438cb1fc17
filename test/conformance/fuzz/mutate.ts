import type { Random } from "../../support/random.ts";
import { jsonText, RawJson } from "./json-text.ts";

const P = "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";

const NUMBERS = [
  0,
  1,
  -1,
  2,
  49,
  50,
  51,
  58,
  59,
  60,
  61,
  99,
  100,
  101,
  1.5,
  -0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 64,
  1e21,
  1e308,
  5e-324,
];

const TEXTS = [
  "",
  " ",
  "0",
  "1",
  "-1",
  "5",
  " 1",
  "1e3",
  "0x",
  "0X1",
  "0x0",
  "0x1",
  "x",
  "latest",
  "proposed",
  "checkpointed",
  "proven",
  "finalized",
  "pending",
  "genesis",
  "current",
  "all",
  "none",
  "target",
  "limit",
  "null",
  "undefined",
  "NaN",
  "true",
  "abcd",
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "toJSON",
  "length",
  P,
  `0x${"f".repeat(64)}`,
  `0x${"0".repeat(64)}`,
  "f".repeat(64),
  "9".repeat(77),
  "9".repeat(500),
  `0x${"1".repeat(5000)}`,
  "A".repeat(10_001),
  "AAAA",
  "====",
  "AAAA=AAA",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "é".repeat(64),
  "💥".repeat(32),
  "\u2028\u2029",
  "\r\nX-Injected: 1\r\n",
  "%00",
  "../../etc/passwd",
  "' OR 1=1 --",
  "<script>",
];

const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "then",
  "length",
  "toJSON",
  "hasOwnProperty",
];

const RAW = [
  "1e999",
  "-1e999",
  "-0",
  "1E+2",
  "123456789012345678901234567890",
  "0.1e-400",
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"admin":true}}',
  '{"a":1,"a":2}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1,"valueOf":2}',
  '{"type":"Buffer","data":[1,2,3]}',
  '{"type":"Buffer","data":"x"}',
  '{"type":"Buffer","data":[-1,256,1.5,null]}',
  '{"then":1}',
  '{"length":1e9}',
  "[[[[]]]]",
];

/** A value that a reader may not expect. */
export function hostileValue(random: Random): unknown {
  switch (random.below(9)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
    case 2:
      return random.pick(TEXTS);
    case 3:
      return random.pick([null, true, false, [], {}]);
    case 4:
    case 5:
      return new RawJson(random.pick(RAW));
    case 6:
      return `0x${random.bytes(random.pick([1, 20, 31, 32, 33, 64])).toString("hex")}`;
    case 7:
      return random.chance(0.05) ? nested(random) : [random.pick(NUMBERS), random.pick(TEXTS), {}];
    default:
      return random.chance(0.05)
        ? new Array(random.pick([51, 101, 1001])).fill(random.pick(TEXTS).slice(0, 70))
        : { [random.pick(PROTOTYPE_NAMES)]: random.pick(TEXTS) };
  }
}

/** Nested arrays or objects, deep enough to overflow a recursive reader. */
export function nested(random: Random): RawJson {
  const depth = random.pick([10, 100, 1000, 5000, 20_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['{"__proto__":', "}"],
  ]);
  return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

/** The same value written as another type. */
function retyped(value: unknown, random: Random): unknown {
  switch (random.below(6)) {
    case 0:
      return jsonText(value);
    case 1:
      return Number(jsonText(value));
    case 2:
      return [value];
    case 3:
      return { [random.pick(["number", "hash", "archive", "tag", "epoch", "from", "value", "tags"])]: value };
    case 4:
      return Boolean(value);
    default:
      return null;
  }
}

function mutatedText(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(TEXTS) + text.slice(at);
    case 2:
      return text.toUpperCase();
    case 3:
      return text.replace(/^0x/, "");
    case 4:
      return ` ${text} `;
    case 5:
      return text.slice(0, at) + random.pick([..."0123456789abcdefgXx+/=_ é"]) + text.slice(at + 1);
    default:
      return text + text;
  }
}

function mutatedLeaf(value: unknown, random: Random): unknown {
  if (random.chance(0.3)) return hostileValue(random);
  if (random.chance(0.2)) return retyped(value, random);
  if (typeof value === "string") return mutatedText(value, random);
  if (typeof value === "number")
    return random.chance(0.5) ? value + random.pick([-1, 1, 0.5, 1e9]) : random.pick(NUMBERS);
  if (typeof value === "boolean") return !value;
  return hostileValue(random);
}

/** A copy of a value with one random change. */
export function mutated(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    const choice = random.below(6);
    if (choice === 0) return value.toSpliced(at, 0, hostileValue(random));
    if (value.length === 0 || choice === 1) return retyped(value, random);
    const held = Math.min(at, value.length - 1);
    if (choice === 2) return value.toSpliced(held, 1);
    return value.with(held, mutated(value[held], random));
  }
  if (typeof value === "object" && value !== null && !(value instanceof RawJson)) {
    const keys = Object.keys(value);
    if (keys.length === 0 || random.chance(0.2)) {
      return {
        ...value,
        [random.pick([...PROTOTYPE_NAMES, "number", "fromBlock", "tags", "x"])]: hostileValue(random),
      };
    }
    const key = random.pick(keys);
    const { [key]: item, ...others } = value as Record<string, unknown>;
    return random.chance(0.15) ? others : { ...others, [key]: mutated(item, random) };
  }
  return mutatedLeaf(value, random);
}
