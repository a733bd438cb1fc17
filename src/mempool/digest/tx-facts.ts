import { equal, isZero, readBigUint } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { min } from "../../protocol/fees/arithmetic.ts";
import type { GasFees, TxGas } from "../../protocol/fees/gas-fees.ts";
import type { Fr } from "../../protocol/field.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { INCREASE_PUBLIC_BALANCE } from "../../protocol/generations/setup-calls.ts";
import { type AccumulatedData, isForPublic, publicAccumulatedData } from "../../protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../../protocol/tx/gas-settings.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import { calledSelector, type PublicCall, publicCalls } from "../../protocol/tx/public-calls.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { accumulatedParts } from "./published-contracts.ts";
import type { ContentDigest, TxDigest } from "./tx-digest.ts";

/**
 * What the pool and its checks need of a tx, without its body
 * (docs/protocol/07-transactions-and-fees.md#79-fee-limit-and-claims and
 * docs/protocol/07-transactions-and-fees.md#720-priority).
 */
export interface TxSummary {
  hash: Fr;
  /** Hash of the anchor block's header. */
  anchorHash: Fr;
  forPublic: boolean;
  gasLimits: TxGas;
  maxFeesPerGas: GasFees;
  maxPriorityFeesPerGas: GasFees;
  /** Decides the order of txs. */
  priorityFee: bigint;
  feePayer: Fr;
  /** Most fee asset units that the tx may cost. */
  feeLimit: bigint;
  /** Fee asset units that the tx pays to its fee payer during setup. */
  claim: bigint;
  /** Non-zero nullifiers; an invalid tx may contain one twice. */
  nullifiers: Fr[];
  /** Seconds. */
  expiration: bigint;
}

/** A tx to be checked. The checks use its hash only to compare it with a claimed hash. */
export interface CheckedTx extends Omit<TxSummary, "hash"> {
  tx: Tx;
  digest: ContentDigest;
  /** Whether the tx was sent with a claimed hash that is not its own. */
  hashDiffers: boolean;
  /** Empty for a tx that cannot be read; `digest` then has the reason. */
  parts: AccumulatedData[];
  setupCalls: PublicCall[];
  /** The tx's binary form with its hash (tx-bytes.ts), if there is one already. */
  encoded?: Uint8Array;
}

export type TxFacts = CheckedTx & TxSummary;

/** The contract that balances are kept in. */
type FeeContracts = Pick<ContractRules, "feeJuice">;

/** A tx of which nothing was hashed yet. */
export type UndigestedTx = Omit<CheckedTx, "digest" | "anchorHash" | "hashDiffers">;

/**
 * Priority of a tx: what it offers for L2 gas, regardless of a block's base fee
 * (docs/protocol/07-transactions-and-fees.md#720-priority).
 */
export function priorityFee({
  maxFeesPerGas,
  maxPriorityFeesPerGas,
}: Pick<TxSummary, "maxFeesPerGas" | "maxPriorityFeesPerGas">): bigint {
  return min(maxFeesPerGas.feePerL2Gas, maxPriorityFeesPerGas.feePerL2Gas);
}

/**
 * Teardown limits are part of the gas limits, the priority fee part of the max fees
 * (docs/protocol/07-transactions-and-fees.md#79-fee-limit-and-claims).
 */
export function feeLimit({ gasLimits, maxFeesPerGas }: Pick<TxSummary, "gasLimits" | "maxFeesPerGas">): bigint {
  return BigInt(gasLimits.daGas) * maxFeesPerGas.feePerDaGas + BigInt(gasLimits.l2Gas) * maxFeesPerGas.feePerL2Gas;
}

/**
 * Fee juice that the first setup call to credit the fee payer brings; 0 without one
 * (docs/protocol/07-transactions-and-fees.md#79-fee-limit-and-claims).
 */
function claimAmount(feePayer: Fr, feeJuice: Fr, setupCalls: readonly PublicCall[]): bigint {
  const call = setupCalls.find(({ request, calldata }) => {
    const selector = calledSelector(calldata);
    return (
      equal(request.contractAddress, feeJuice) &&
      equal(request.msgSender, feeJuice) &&
      !request.isStaticCall &&
      calldata.length > 2 * 32 &&
      selector !== undefined &&
      equal(selector, INCREASE_PUBLIC_BALANCE) &&
      equal(calldata.subarray(32, 64), feePayer)
    );
  });
  return call === undefined ? 0n : readBigUint(call.calldata, 64, 32);
}

/** Facts of a tx whose form was checked, and whether its hash is `claimedHash`. Views into the tx's bytes. */
export function txFacts(tx: Tx, digest: TxDigest, contracts: FeeContracts, claimedHash = digest.hash): TxFacts {
  return digestedFacts(undigestedTx(tx, contracts), digest, claimedHash);
}

/** Completes the facts of a tx that were read before it was hashed. */
export function digestedFacts(tx: UndigestedTx, { hash, ...content }: TxDigest, claimedHash: Uint8Array): TxFacts {
  const { anchorHash } = content;
  return { ...tx, digest: content, anchorHash, hashDiffers: !equal(claimedHash, hash), hash };
}

/** What the checks need of a tx that was sent without a hash. Views into the tx's bytes. */
export function checkedTx(tx: Tx, digest: ContentDigest, contracts: FeeContracts): CheckedTx {
  return { ...undigestedTx(tx, contracts), digest, anchorHash: digest.anchorHash, hashDiffers: false };
}

/** What can be read of a tx without hashing anything. Views into the tx's bytes. */
export function undigestedTx(tx: Tx, { feeJuice }: FeeContracts): UndigestedTx {
  const { data } = tx;
  const { parts, setupCalls } = readableParts(tx);
  const settings = txGasSettings(data);
  const feePayer = txFeePayer(data);
  return {
    tx,
    parts,
    setupCalls,
    forPublic: isForPublic(data),
    gasLimits: settings.gasLimits,
    maxFeesPerGas: settings.maxFeesPerGas,
    maxPriorityFeesPerGas: settings.maxPriorityFeesPerGas,
    priorityFee: priorityFee(settings),
    feePayer,
    feeLimit: feeLimit(settings),
    claim: claimAmount(feePayer, feeJuice, setupCalls),
    nullifiers: parts.flatMap(({ nullifiers }) => nullifiers).filter((nullifier) => !isZero(nullifier)),
    expiration: readBigUint(data, TX_DATA_AT.expirationTimestamp, 8),
  };
}

function readableParts(tx: Tx): Pick<TxFacts, "parts" | "setupCalls"> {
  try {
    const parts = accumulatedParts(tx.data);
    const setupCalls = isForPublic(tx.data) ? publicCalls(publicAccumulatedData(tx.data).setupCalls, tx) : [];
    return { parts, setupCalls };
  } catch (error) {
    if (error instanceof DecodeError) return { parts: [], setupCalls: [] };
    throw error;
  }
}

/** A copy that does not keep the tx's bytes alive. */
export function txSummary(facts: TxSummary): TxSummary {
  const { forPublic, gasLimits, maxFeesPerGas, maxPriorityFeesPerGas, expiration, claim } = facts;
  return {
    hash: copied(facts.hash),
    anchorHash: copied(facts.anchorHash),
    forPublic,
    gasLimits,
    maxFeesPerGas,
    maxPriorityFeesPerGas,
    priorityFee: facts.priorityFee,
    feePayer: copied(facts.feePayer),
    feeLimit: facts.feeLimit,
    claim,
    nullifiers: facts.nullifiers.map(copied),
    expiration,
  };
}

/** Copies the bytes. Buffer.slice() would return a view. */
function copied(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
