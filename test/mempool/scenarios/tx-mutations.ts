import { writeU32 } from "../../../src/protocol/bytes.ts";
import { layoutOf, TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import type { Random } from "../../support/random.ts";

type Json = Record<string, unknown>;
type Mutation = (tx: Json, random: Random) => void;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const bytesOf = (tx: Json, key: string) => new Uint8Array(Buffer.from(String(tx[key]), "base64"));
const hex = (length: number, random: Random) =>
  `0x${Array.from({ length }, () => random.below(16).toString(16)).join("")}`;

const ODD_VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  true,
  "",
  "0x",
  "AAA=",
  "*",
  [],
  {},
  [[]],
  [null],
  "x".repeat(70_000),
  "\u0000",
];

function changedData(change: (data: Uint8Array, random: Random) => void): Mutation {
  return (tx, random) => {
    const data = bytesOf(tx, "data");
    change(data, random);
    tx.data = base64(data);
  };
}

/** Sets all bytes of one primitive of the kernel's output to one value. */
const primitive = changedData((data, random) => {
  const { at, width } = layoutOf(data);
  const i = random.below(at.length);
  const from = at[i];
  const to = from + width[i];
  const values = [0, 1, 0x30, 0x7f, 0x80, 0xff];
  if (random.chance(0.7)) data.fill(values[random.below(values.length)], from, to);
  else data[from + random.below(width[i])] ^= 1 << random.below(8);
});

const LOG_BYTES = 516;
const PRIVATE_LOGS_AT = TX_DATA_AT.accumulated + 4_768;
const CLASS_LOG_LENGTH_AT = TX_DATA_AT.accumulated + 37_792 + 32;
const CALLS_AT = TX_DATA_AT.accumulated + 37_860;
const INSTANCE_TAG = "1a7e1badb79abdd38c684b3c8306ffe7ecb33c69e3380d9855730aaaa83a21a8";

/** Ways to change a tx's JSON, each of which may break a rule or a limit. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  member: (tx, random) => {
    const names = Object.keys(tx);
    tx[names[random.below(names.length)]] = ODD_VALUES[random.below(ODD_VALUES.length)];
  },
  missing: (tx, random) => {
    const names = Object.keys(tx);
    delete tx[names[random.below(names.length)]];
  },
  cut: (tx, random) => {
    const key = random.chance(0.5) ? "data" : "chonkProof";
    const bytes = bytesOf(tx, key);
    tx[key] = base64(bytes.subarray(0, random.below(bytes.length + 1)));
  },
  longer: (tx, random) => {
    const key = random.chance(0.5) ? "data" : "chonkProof";
    tx[key] = base64(Buffer.concat([bytesOf(tx, key), Buffer.alloc(random.below(200_000))]));
  },
  shortProof: (tx, random) => {
    tx.chonkProof = base64(new Uint8Array(random.below(8)));
  },
  proofCount: (tx, random) => {
    const proof = bytesOf(tx, "chonkProof");
    writeU32(proof, 0, [0, 1, 1934, 1936, 2 ** 31, 2 ** 32 - 1][random.below(6)]);
    tx.chonkProof = base64(proof);
  },
  proofField: (tx, random) => {
    const proof = bytesOf(tx, "chonkProof");
    proof.fill(255, 4 + 32 * random.below(1935));
    tx.chonkProof = base64(proof);
  },
  form: changedData((data, random) => {
    data[0] = [0, 1, 2, 255][random.below(4)];
  }),
  primitive,
  manyPrimitives: (tx, random) => {
    for (let i = 0; i < 5; i++) primitive(tx, random);
  },
  fees: changedData((data, random) => {
    const value = random.chance(0.5) ? 0xff : 0;
    data.fill(value, TX_DATA_AT.gasLimits, TX_DATA_AT.vkTreeRoot);
  }),
  nullifierTwice: changedData((data) => {
    const at = TX_DATA_AT.accumulated + 2_048;
    data.copyWithin(at + 32, at, at + 32);
  }),
  nullifiersFull: changedData((data, random) => {
    const at = TX_DATA_AT.accumulated + 2_048;
    for (let i = 0; i < 64; i++) {
      data.fill(0, at + i * 32, at + i * 32 + 8);
      writeU32(data, at + i * 32 + 20, random.below(2 ** 31));
    }
  }),
  logLength: changedData((data, random) => {
    writeU32(data, PRIVATE_LOGS_AT + random.below(64) * LOG_BYTES + 512, [0, 1, 16, 17, 2 ** 32 - 1][random.below(5)]);
  }),
  instanceLog: changedData((data, random) => {
    const at = PRIVATE_LOGS_AT + random.below(64) * LOG_BYTES;
    data.set(Buffer.from(INSTANCE_TAG, "hex"), at);
    writeU32(data, at + 512, 16);
    data[at + 95] = random.below(3);
  }),
  classLogLength: changedData((data, random) => {
    writeU32(data, CLASS_LOG_LENGTH_AT, [0, 1, 3023, 3024, 2 ** 32 - 1][random.below(5)]);
  }),
  call: changedData((data, random) => {
    if (data[0] === 0) return;
    const at = CALLS_AT + random.below(32) * 97;
    data[at + 63] = 1 + random.below(6);
    data.fill(random.below(256) & 0x1f, at + 65, at + 97);
  }),
  classLogs: (tx, random) => {
    const fields = Array.from({ length: [0, 1, 3022, 3023, 3024][random.below(5)] }, () => hex(2, random));
    const logs = Array.isArray(tx.contractClassLogFields) ? tx.contractClassLogFields : [];
    tx.contractClassLogFields = random.chance(0.5) ? [...logs, { fields }] : [{ fields }];
  },
  calldata: (tx, random) => {
    const calls = Array.isArray(tx.publicFunctionCalldata) ? tx.publicFunctionCalldata : [];
    const values = Array.from({ length: random.below(40) }, () => hex(random.chance(0.9) ? 62 : 64, random));
    const added = { values, hash: hex(64, random) };
    tx.publicFunctionCalldata = random.chance(0.5)
      ? [...calls, added]
      : Array.from({ length: random.below(300) }, () => added);
  },
  largeCalldata: (tx, random) => {
    tx.publicFunctionCalldata = [{ values: Array.from({ length: 16_001 }, () => "0x1"), hash: hex(62, random) }];
  },
  unchanged: () => {},
};
