import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { concat, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { FieldRangeError, ProofLengthError, TruncatedError } from "../../../src/protocol/tx/errors.ts";
import { PRIVATE_LAYOUT, PUBLIC_LAYOUT } from "../../../src/protocol/tx/kernel-output.ts";
import { type Tx, txBytes } from "../../../src/protocol/tx/tx.ts";
import { txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { JsonWriter } from "../../../src/rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";
import { CHONK_PROOF_BYTES, STRIPPED_PROOF, txFromBytes, txParameter } from "../../world/protocol/v4-txs.ts";

const core = loadCore();
const recorded = recordedTxs();

function json(hash: Uint8Array, tx: Tx, withProof: boolean): string {
  const out = new JsonWriter();
  encodeTx(out, { hash, tx, withProof });
  return Buffer.from(out.take()).toString("utf8");
}

describe("the recorded transactions", () => {
  test("the recorded transactions are of both forms, and some have class logs and calldata", () => {
    const sizes = new Set(recorded.map(({ tx }) => tx.data.length));
    expect(sizes).toEqual(new Set([PRIVATE_LAYOUT.bytes, PUBLIC_LAYOUT.bytes]));
    expect(recorded.some(({ tx }) => tx.contractClassLogFields.length > 0)).toBe(true);
    expect(recorded.some(({ tx }) => tx.publicFunctionCalldata.length > 1)).toBe(true);
  });

  test.each(recorded.map((one) => [one.json.txHash, one] as const))("%s", (_, { hash, tx, json: sent }) => {
    expect(toHex(txHash(core, tx.data))).toBe(sent.txHash);
    expect(json(hash, tx, true)).toBe(JSON.stringify(sent));
    const bytes = txToBytes(hash, tx);
    expect(bytes).toHaveLength(txBytes(tx));
    const read = txFromBytes(bytes);
    expect(read.next).toBe(bytes.length);
    expect(Buffer.from(txToBytes(read.hash, read.tx)).equals(bytes)).toBe(true);
    expect(json(read.hash, read.tx, true)).toBe(JSON.stringify(sent));
  });

  test("transactions are read one after the other from concatenated bytes", () => {
    const some = recorded.slice(0, 3);
    const bytes = concat(Uint8Array.of(9), ...some.map(({ hash, tx }) => txToBytes(hash, tx)), Uint8Array.of(7));
    let at = 1;
    for (const { hash } of some) {
      const read = txFromBytes(bytes, at);
      expect(toHex(read.hash)).toBe(toHex(hash));
      at = read.next;
    }
    expect(at).toBe(bytes.length - 1);
  });

  test("a transaction can be read without its proof as the same transaction", () => {
    for (const { hash, tx } of recorded.slice(0, 5)) {
      const stripped = json(hash, tx, false);
      expect(stripped).toContain(Buffer.from(STRIPPED_PROOF).toString("base64"));
      const read = txParameter.read(JSON.parse(stripped), [], []);
      expect(toHex(txHash(core, read.data))).toBe(toHex(hash));
      expect(Buffer.from(read.chonkProof).equals(STRIPPED_PROOF)).toBe(true);
    }
  });
});

describe("bytes of a transaction", () => {
  const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => {
    bytes[0] &= 0x1f;
    return bytes;
  });
  const run = (most: number) => fc.array(word, { maxLength: most }).map((words) => concat(...words));
  const anyTx = fc
    .record({
      forPublic: fc.boolean(),
      logs: fc.nat(2),
      calldata: fc.array(fc.record({ values: run(40), hash: word }), { maxLength: 6 }),
    })
    .map(({ forPublic, logs, calldata }): Tx => {
      const data = new Uint8Array((forPublic ? PUBLIC_LAYOUT : PRIVATE_LAYOUT).bytes);
      data[0] = forPublic ? 1 : 0;
      return {
        data,
        chonkProof: STRIPPED_PROOF,
        contractClassLogFields: Array.from({ length: logs }, () => new Uint8Array(3023 * 32)),
        publicFunctionCalldata: calldata,
      };
    });

  test("the bytes of a transaction decode to the same transaction", () => {
    fc.assert(
      fc.property(anyTx, word, (tx, hash) => {
        const bytes = txToBytes(hash, tx);
        const read = txFromBytes(bytes);
        expect(bytes).toHaveLength(txBytes(tx));
        expect(Buffer.from(txToBytes(read.hash, read.tx)).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  const { hash, tx } = recorded.find((one) => one.tx.publicFunctionCalldata.length > 0) ?? recorded[0];
  const whole = txToBytes(hash, tx);

  test("the bytes of a transaction are refused when they are cut anywhere", () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        expect(() => txFromBytes(whole.subarray(0, length))).toThrow(TruncatedError);
      }),
      { numRuns: 200 },
    );
  });

  test("changed bytes of a transaction are either decoded or refused with a decoding error", () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const changed = whole.slice();
        changed[at] = value;
        try {
          txFromBytes(changed);
        } catch (error) {
          const own = [TruncatedError, FieldRangeError, ProofLengthError];
          expect(own.some((type) => error instanceof type)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("transaction bytes with a field count beyond their end are refused without allocating memory", () => {
    const changed = whole.slice();
    writeU32(
      changed,
      32 + tx.data.length + CHONK_PROOF_BYTES + 2 + 3023 * 32 * tx.contractClassLogFields.length,
      2 ** 32 - 1,
    );
    expect(() => txFromBytes(changed)).toThrow(TruncatedError);
  });

  test("a list in a transaction's bytes has at most 255 items", () => {
    const calldata = Array.from({ length: 256 }, () => ({ values: new Uint8Array(), hash: new Uint8Array(32) }));
    expect(() => txToBytes(hash, { ...tx, publicFunctionCalldata: calldata })).toThrow(RangeError);
  });
});
