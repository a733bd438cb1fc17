import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toHex } from "../../../../src/protocol/bytes.ts";
import { FR_MODULUS, fr } from "../../../../src/protocol/field.ts";
import { JsonWriter } from "../../../../src/rpc/codecs/json/json-writer.ts";
import { worldStateMethods } from "../../../../src/rpc/methods/world-state/world-state.ts";
import { dialectOf, type Method, type Namespace, readParams } from "../../../../src/rpc/registry/registry.ts";
import { fakeChain, fakeServices, GENESIS_BLOCK } from "../../../world/rpc/fakes.ts";
import { apply, core, makeBlock, type OpenState, openState } from "../../../world/world-state/open-state.ts";

/** Values of nullifiers, note hashes, slots and messages: about half of the lookups find one. */
const KNOWN = [5000n, 6000n, 7000n, FR_MODULUS - 1n];
const TIP = 3;

let open: OpenState;
let methods: Method[];
const hashes: Uint8Array[] = [];

beforeAll(async () => {
  open = openState();
  for (let i = 0; i < TIP; i++) {
    const own = fr(KNOWN[i]);
    const block = makeBlock(
      open.state,
      [{ nullifiers: [own], noteHashes: [own], publicDataWrites: [{ leafSlot: own, value: fr(i + 9) }] }],
      [own],
    );
    hashes.push(block.blockHash);
    await apply(open, [block]);
  }
  const blocks = hashes.map((hash, i) => ({
    block: { ...GENESIS_BLOCK, number: i + 1, hash },
    body: new Uint8Array(),
  }));
  const chain = fakeChain({ blocks });
  methods = worldStateMethods(fakeServices({ chain, world: open.state, core })).filter(({ raw }) => raw !== undefined);
});
afterAll(() => open.close());

const calls = (): [Method, Namespace][] =>
  methods.flatMap((method) => (Object.keys(method.raw!) as Namespace[]).map((n): [Method, Namespace] => [method, n]));

function general(method: Method, namespace: Namespace, params: string): string | undefined {
  const out = new JsonWriter();
  const values = readParams(method.params[namespace]!, JSON.parse(params) as unknown[], dialectOf(namespace));
  const result = method.handle(values, { namespace });
  if (result === undefined) return undefined;
  method.encode[namespace]!(out, result);
  return Buffer.from(out.take()).toString();
}

/** The answer of the fast form; undefined when it leaves the call to the general form. */
function fast(method: Method, namespace: Namespace, params: string): string | undefined {
  const out = new JsonWriter();
  const body = Buffer.from(`{"params":${params}}`);
  const raw = method.raw?.[namespace];
  return raw?.(body, 10, body.length - 1, out) ? Buffer.from(out.take()).toString() : undefined;
}

const hexText = fc.constantFrom(...KNOWN, 0n, 1n, 8000n, FR_MODULUS, 2n ** 256n - 1n).map((value) => {
  return `0x${value.toString(16).padStart(64, "0")}`;
});
const fieldText = fc.oneof(
  { weight: 5, arbitrary: hexText },
  hexText.map((text) => text.toUpperCase().replace("X", "x")),
  fc.constantFrom("0x1", "5000", "", "0x", "x".repeat(66), `0x${"g".repeat(64)}`),
);
const blockText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('"latest"', "1", "2", "3") },
  fc.nat(TIP - 1).map((i) => JSON.stringify(toHex(hashes[i]))),
  fc.constantFrom(
    "0",
    "-1",
    "1.5",
    "1e0",
    "4",
    "10000000000",
    '"1"',
    '"late"',
    '"proposed"',
    '{"number":2}',
    "null",
    '""',
  ),
  hexText.map((text) => JSON.stringify(text)),
);

test("fast forms of world state methods answer like the general forms or leave the call to them", () => {
  fc.assert(
    fc.property(
      blockText,
      fc.array(fieldText, { minLength: 0, maxLength: 3 }),
      fc.constantFrom("", " "),
      (block, values, space) => {
        const params = `[${[block, ...values.map((value) => JSON.stringify(value))].join(`,${space}`)}]`;
        for (const [method, namespace] of calls()) {
          let answer: string | undefined;
          try {
            answer = fast(method, namespace, params);
          } catch {
            continue;
          }
          if (answer !== undefined) expect(answer).toBe(general(method, namespace, params));
        }
      },
    ),
    { numRuns: 400 },
  );
});

test("fast forms of world state methods answer the parameters that clients usually send", () => {
  const known = JSON.stringify(toHex(fr(KNOWN[0])));
  const answered = calls().map(([method, namespace]) => {
    const value = method.name === "getBlockHashMembershipWitness" ? JSON.stringify(toHex(hashes[0])) : known;
    const absent = JSON.stringify(toHex(fr(8000)));
    const fields = method.name === "getPublicStorageAt" ? [known, known] : [value];
    if (method.name === "getLowNullifierMembershipWitness") fields[0] = absent;
    return ['"latest"', "3", JSON.stringify(toHex(hashes[2]))].map((block) => {
      return fast(method, namespace, `[${[block, ...fields].join(",")}]`) !== undefined;
    });
  });
  expect(answered.length).toBeGreaterThan(10);
  expect(answered.flat()).not.toContain(false);
});
