import { bigUintBytes, writeU32 } from "../../../src/protocol/bytes.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";

type Json = Record<string, unknown>;

const ACCUMULATED_NULLIFIERS_AT = TX_DATA_AT.accumulated + 64 * 32;
const PRIVATE_LOG_LENGTH_AT = TX_DATA_AT.accumulated + 4_768 + 512;

function withData(tx: Json, change: (data: Uint8Array) => void): Json {
  const data = new Uint8Array(Buffer.from(String(tx.data), "base64"));
  change(data);
  return { ...tx, data: Buffer.from(data).toString("base64") };
}

/** A variant that overwrites bytes of `data`. */
const at =
  (offset: number, ...bytes: number[]) =>
  (tx: Json): Json =>
    withData(tx, (data) => data.set(bytes, offset));

/** Well-formed but invalid variants of a tx: each breaks one or two rules. */
export const INVALID_VARIANTS: Readonly<Record<string, (tx: Json) => Json>> = {
  "chain id": at(TX_DATA_AT.chainId + 31, 0x77),
  "rollup version": at(TX_DATA_AT.version + 28, 1, 2, 3, 4),
  "verification keys": at(TX_DATA_AT.vkTreeRoot + 31, 1),
  "protocol contracts": at(TX_DATA_AT.protocolContractsHash + 31, 1),
  expired: (tx) => withData(tx, (data) => data.set(bigUintBytes(1_000n, 8), TX_DATA_AT.expirationTimestamp)),
  "no fee": (tx) => withData(tx, (data) => data.fill(0, TX_DATA_AT.maxFeesPerGas, TX_DATA_AT.vkTreeRoot)),
  "low fee": (tx) => withData(tx, (data) => data.set(bigUintBytes(1_000n, 16), TX_DATA_AT.maxFeesPerGas + 16)),
  "largest fee": (tx) =>
    withData(tx, (data) => data.fill(0xff, TX_DATA_AT.maxFeesPerGas, TX_DATA_AT.maxPriorityFeesPerGas)),
  "low gas": (tx) => withData(tx, (data) => writeU32(data, TX_DATA_AT.gasLimits + 4, 1_000)),
  "high gas": (tx) => withData(tx, (data) => writeU32(data, TX_DATA_AT.gasLimits + 4, 2 ** 31)),
  "high data gas": (tx) => withData(tx, (data) => writeU32(data, TX_DATA_AT.gasLimits, 2 ** 31)),
  "payer without balance": at(TX_DATA_AT.feePayer + 30, 0x12, 0x34),
  "anchor block": at(TX_DATA_AT.anchorHeader + 40, 0x12),
  "nullifier twice": (tx) =>
    withData(tx, (data) => {
      data.copyWithin(ACCUMULATED_NULLIFIERS_AT + 32, ACCUMULATED_NULLIFIERS_AT, ACCUMULATED_NULLIFIERS_AT + 32);
    }),
  "another nullifier": at(ACCUMULATED_NULLIFIERS_AT + 8, 1, 2, 3, 4, 5),
  "log of 17 fields": (tx) => withData(tx, (data) => writeU32(data, PRIVATE_LOG_LENGTH_AT, 17)),
  "calldata more": (tx) => ({
    ...tx,
    publicFunctionCalldata: [...list(tx.publicFunctionCalldata), { values: ["0x1"], hash: "0x2" }],
  }),
  "no calldata": (tx) => ({ ...tx, publicFunctionCalldata: [] }),
  "changed calldata": (tx) => ({
    ...tx,
    publicFunctionCalldata: list(tx.publicFunctionCalldata).map((call) => ({ ...call, values: ["0x1", "0x2"] })),
  }),
  "class log more": (tx) => ({
    ...tx,
    contractClassLogFields: [
      ...list(tx.contractClassLogFields),
      { fields: Array.from({ length: 3_023 }, () => "0x1") },
    ],
  }),
  "claimed hash": (tx) => ({ ...tx, txHash: "0x1" }),
};

/** Malformed variants of a tx. A proof of a few bytes is left out: it crashes the reference. */
export const BROKEN_VARIANTS: Readonly<Record<string, (tx: Json) => Json>> = {
  "no data": ({ data: _, ...rest }) => rest,
  "empty data": (tx) => ({ ...tx, data: "" }),
  "data cut": (tx) => ({ ...tx, data: String(tx.data).slice(0, 20_000) }),
  "data that is a number": (tx) => ({ ...tx, data: 7 }),
  "field over the modulus": (tx) => withData(tx, (data) => data.fill(0xff, TX_DATA_AT.chainId, TX_DATA_AT.version)),
  "class log of 1 field": (tx) => ({ ...tx, contractClassLogFields: [{ fields: ["0x1"] }] }),
  "calldata without values": (tx) => ({ ...tx, publicFunctionCalldata: [{ hash: "0x1" }] }),
  "calldata that is a text": (tx) => ({ ...tx, publicFunctionCalldata: "0x1" }),
  "calldata over the modulus": (tx) => ({
    ...tx,
    publicFunctionCalldata: [{ values: [`0x${"f".repeat(64)}`], hash: "0x1" }],
  }),
};

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
