import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { escapeHatchAbi } from "../../src/l1/abi/escape-hatch.ts";
import { inboxAbi } from "../../src/l1/abi/inbox.ts";
import { registryAbi } from "../../src/l1/abi/registry.ts";
import { rollupAbi } from "../../src/l1/abi/rollup.ts";
import { findProposeCall } from "../../src/l1/checkpoints/find-propose-call.ts";
import { attestationsHash, readProposeCall } from "../../src/l1/checkpoints/propose-call.ts";
import { readProposedEvent } from "../../src/l1/checkpoints/proposed-event.ts";
import { CheckpointCalldataError } from "../../src/l1/errors.ts";
import type { L1Log } from "../../src/l1/rpc/answers.ts";
import { L1Rpc } from "../../src/l1/rpc/l1-rpc.ts";
import { concat, fromHex, toHex } from "../../src/protocol/bytes.ts";
import { checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { attestationPayload } from "../../src/protocol/consensus/digests.ts";
import { signedBytes } from "../../src/protocol/consensus/signed-integer.ts";
import { DecodeError } from "../../src/protocol/errors.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../src/protocol/personal-message.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { type CheckpointVector, l1Vectors } from "../world/l1/vectors.ts";

const { live, scenario, selectors } = l1Vectors;

/** Nothing listens there, so a decoder fails if it asks L1 where it should not. */
const deaf = new L1Rpc({ urls: ["http://127.0.0.1:9"], retryDelaysMs: [], timeoutMs: 500, logger: silentLogger });

function logOf({ event, l1, tx }: CheckpointVector): L1Log {
  return {
    address: tx.to,
    topics: event.topics.map(fromHex),
    data: fromHex(event.data),
    blockNumber: l1.blockNumber,
    blockHash: fromHex(l1.blockHash),
    transactionHash: fromHex(tx.hash),
    logIndex: 0,
  };
}

const cases: [string, CheckpointVector, string, number][] = [
  ...live.checkpoints.map((v, i): [string, CheckpointVector, string, number] => [
    `live ${i}`,
    v,
    live.constants.rollup,
    0,
  ]),
  ...[...scenario.checkpoints, scenario.invalidAttestation, scenario.afterProof.insufficient].map(
    (v, i): [string, CheckpointVector, string, number] => [
      `scenario ${i}`,
      v,
      scenario.constants.rollup,
      scenario.constants.targetCommitteeSize,
    ],
  ),
];

const context = (rollup: string, committeeSize: number) => ({
  rollupAddress: rollup.toLowerCase(),
  committeeSize,
  rpc: deaf,
  debugRpc: deaf,
  generation: V4,
  l1ChainId: 31337,
});

const txOf = ({ tx }: CheckpointVector) => ({
  hash: fromHex(tx.hash),
  to: tx.to.toLowerCase(),
  input: fromHex(tx.input),
});

test("the ABI fragments have the contracts' selectors and topics", () => {
  const abis = { Rollup: rollupAbi, Inbox: inboxAbi, Registry: registryAbi, EscapeHatch: escapeHatchAbi };
  expect(V4.l1.propose.selector).toBe(selectors.functions["Rollup.propose"]);
  let known = 0;
  for (const [contract, abi] of Object.entries(abis)) {
    for (const item of abi) {
      const name = "name" in item ? `${contract}.${item.name}` : "";
      if (item.type === "function" && selectors.functions[name]) {
        expect(toFunctionSelector(item as never), name).toBe(selectors.functions[name]);
        known++;
      }
      if (item.type === "event") {
        expect(toEventSelector(item as never), name).toBe(selectors.eventTopics[name]);
        known++;
      }
      if (item.type === "error") {
        const signature = `${item.name}(${item.inputs.map((input: { type: string }) => input.type).join(",")})`;
        expect(toFunctionSelector(signature), signature).toBe(selectors.errors[signature]);
        known++;
      }
    }
  }
  expect(known).toBeGreaterThanOrEqual(14);
});

describe.each(cases)("checkpoint of %s", (_, vector, rollup, committeeSize) => {
  const { decoded } = vector.event;

  test("the event of the recorded checkpoint is read with its fields", () => {
    const event = readProposedEvent(logOf(vector));
    expect(event.checkpointNumber).toBe(decoded.checkpointNumber);
    expect(toHex(event.archiveRoot)).toBe(decoded.archive);
    expect(event.versionedBlobHashes.map(toHex)).toEqual(decoded.versionedBlobHashes);
    expect(toHex(event.payloadDigest)).toBe(decoded.payloadDigest);
    expect(toHex(event.attestationsHash)).toBe(decoded.attestationsHash);
  });

  test("the transaction of the recorded checkpoint gives header, price modifier and attestations", async () => {
    const event = readProposedEvent(logOf(vector));
    const found = await findProposeCall(txOf(vector), event, context(rollup, committeeSize));
    expect(toHex(found.header)).toBe(vector.computed.checkpointHeaderBuffer);
    expect(toHex(checkpointHash(found.header))).toBe(vector.computed.checkpointHeaderHash);
    expect(found.feeAssetPriceModifier).toBe(BigInt(vector.proposeArgs.args.oracleInput.feeAssetPriceModifier));
    expect(toHex(attestationsHash(found))).toBe(vector.computed.attestationsHash);
    expect(
      found.attestations.map(({ address, signature }) => ({
        address: toHex(address),
        signature: signature && toHex(signature),
      })),
    ).toEqual(
      vector.attestations.map(({ address, signature, status }) => ({
        address,
        signature: status === "provided-as-address" ? undefined : signature,
      })),
    );
  });

  test("the digests of the recorded checkpoint are those that the attesters signed", () => {
    const { args } = vector.proposeArgs;
    const modifier = signedBytes(BigInt(args.oracleInput.feeAssetPriceModifier));
    const headerHash = fromHex(vector.computed.checkpointHeaderHash);
    const payload = attestationPayload(V4.consensus, fromHex(args.archive), modifier, headerHash);
    expect(toHex(payload)).toBe(vector.computed.payloadToSign);
    expect(toHex(keccak_256(payload))).toBe(vector.computed.payloadDigest);
    expect(toHex(personalMessage(keccak_256(payload)))).toBe(vector.computed.ethSignedMessageDigest);
  });
});

describe("arbitrary bytes", () => {
  const refusal = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError);
    }
  };

  test("arbitrary bytes read as calldata give a DecodeError at worst", () => {
    const real = fromHex(scenario.checkpoints[0].tx.input);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (tail) =>
        refusal(() => readProposeCall(concat(fromHex(V4.l1.propose.selector), tail), V4)),
      ),
    );
    fc.assert(
      fc.property(fc.nat(real.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }), (at, bytes) => {
        const input = real.slice();
        input.set(bytes.subarray(0, real.length - at), at);
        refusal(() => readProposeCall(input, V4));
      }),
    );
  });

  test("arbitrary bytes read as event data give a DecodeError at worst", () => {
    const log = logOf(scenario.checkpoints[0]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (data) => refusal(() => readProposedEvent({ ...log, data }))),
    );
    fc.assert(
      fc.property(fc.nat(log.data.length - 1), fc.nat(255), (at, byte) =>
        refusal(() => readProposedEvent({ ...log, data: log.data.with(at, byte) })),
      ),
    );
  });
});

test("a negative price modifier is hashed in two's complement", () => {
  const zero = new Uint8Array(32);
  expect(toHex(attestationPayload(V4.consensus, zero, signedBytes(-1n), zero)).slice(2 + 128, 2 + 192)).toBe(
    "f".repeat(64),
  );
});

describe("transactions that do not match their event", () => {
  const vector = scenario.checkpoints[0];
  const event = readProposedEvent(logOf(vector));
  const ctx = context(scenario.constants.rollup, scenario.constants.targetCommitteeSize);
  const tx = txOf(vector);

  test("a transaction that does not match the event is refused with the reason of each decoder", async () => {
    const input = tx.input.slice();
    input[40] ^= 1;
    const error = await findProposeCall({ ...tx, input }, event, ctx).catch((e) => e);
    expect(error).toBeInstanceOf(CheckpointCalldataError);
    expect(error.reasons[0]).toMatch(/direct call: archive, modifier and header do not hash to payloadDigest/);
    expect(error.reasons[1]).toMatch(/^trace: /);
    expect(error.fatal).toBe(false);
  });

  test("a transaction is refused when its calldata is cut anywhere", async () => {
    for (const length of [0, 3, 4, 100, 700, tx.input.length - 32]) {
      const error = await findProposeCall({ ...tx, input: tx.input.slice(0, length) }, event, ctx).catch((e) => e);
      expect(error).toBeInstanceOf(CheckpointCalldataError);
    }
  });

  test("a transaction is refused when it calls another contract", async () => {
    const error = await findProposeCall({ ...tx, to: `0x${"11".repeat(20)}` }, event, ctx).catch((e) => e);
    expect(error.reasons[0]).toMatch(/no known wrapper calls propose/);
  });

  test("a transaction that is read as a call of another function gives a DecodeError", () => {
    expect(() => readProposeCall(new Uint8Array(4), V4)).toThrow(DecodeError);
    expect(() => readProposedEvent({ ...logOf(vector), data: new Uint8Array(31) })).toThrow(DecodeError);
  });
});
