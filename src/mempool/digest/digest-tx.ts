import type { Core, HashInput } from "../../core/core.ts";
import { blockHashInput } from "../../core/derive/block-hash.ts";
import { txHashInput } from "../../core/derive/tx-hash.ts";
import { BLOCK_HEADER_BYTES } from "../../protocol/block-header.ts";
import { DecodeError } from "../../protocol/errors.ts";
import {
  type AccumulatedData,
  isForPublic,
  type PublicCallRequest,
  publicAccumulatedData,
} from "../../protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import { REASON } from "../validation/reasons.ts";
import { calldataRule, classLogRule } from "./data-fault.ts";
import { accumulatedParts, contractsHold, instanceFault } from "./published-contracts.ts";
import type { ContentDigest, DigestedTx, DigestJob, DigestParts, TxDigest } from "./tx-digest.ts";

/** A planned computation: the inputs to hash, and the function from their hashes to the result. */
interface HashPlan<Result> {
  inputs: HashInput[];
  conclude(hashes: readonly Uint8Array[]): Result;
}

/**
 * Computes digest parts of txs: 6 to 15 ms for the hash of one tx, a quarter less for each of two together, and up to
 * 150 ms for the largest calldata. Never throws for a tx that passed decoding: a tx whose parts cannot be read gets a
 * fault.
 */
export function digestParts(core: Core, jobs: readonly DigestJob[]): Partial<DigestParts>[] {
  const plans = jobs.map((job) => digestPlan(core, job));
  const hashes = core.hashEach(plans.flatMap(({ inputs }) => inputs));
  let end = 0;
  return plans.map(({ inputs, conclude }) => {
    end += inputs.length;
    return conclude(hashes.slice(end - inputs.length, end));
  });
}

export function digestTx(core: Core, tx: DigestedTx): TxDigest {
  const { inputs, conclude } = contentPlan(core, tx);
  const [hash, ...rest] = core.hashEach([txHashInput(tx.data), ...inputs]);
  return { hash, ...conclude(rest) };
}

function digestPlan(core: Core, { tx, parts }: DigestJob): HashPlan<Partial<DigestParts>> {
  const own = parts.includes("hash") ? [txHashInput(tx.data)] : [];
  const content = parts.includes("content") ? contentPlan(core, tx) : undefined;
  return {
    inputs: [...own, ...(content?.inputs ?? [])],
    conclude: (hashes) => ({
      hash: hashes.slice(0, own.length).at(0),
      content: content?.conclude(hashes.slice(own.length)),
    }),
  };
}

function contentPlan(core: Core, tx: DigestedTx): HashPlan<ContentDigest> {
  const { data } = tx;
  const anchorHeader = data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
  const anchor = blockHashInput(anchorHeader);
  const read = readParts(data);
  if (read === undefined) {
    return {
      inputs: [anchor],
      conclude: ([anchorHash]) => ({
        anchorHash,
        dataFault: REASON.unexpected,
        instanceFault: undefined,
        contractsHold: false,
      }),
    };
  }
  const { parts, requests } = read;
  const calls = calldataRule(requests, tx);
  const classLogs = classLogRule(parts, tx);
  return {
    inputs: [anchor, ...calls.inputs, ...classLogs.inputs],
    conclude([anchorHash, ...rest]) {
      const ofCalls = rest.slice(0, calls.inputs.length);
      const ofLogs = rest.slice(calls.inputs.length);
      return {
        anchorHash,
        dataFault: calls.fault(ofCalls) ?? classLogs.fault(ofLogs),
        instanceFault: instanceFault(core, parts),
        contractsHold: contractsHold(core, parts, tx),
      };
    },
  };
}

/** Undefined if the parts cannot be read. */
function readParts(data: Uint8Array): { parts: AccumulatedData[]; requests: PublicCallRequest[] } | undefined {
  try {
    const parts = accumulatedParts(data);
    if (!isForPublic(data)) return { parts, requests: [] };
    const { setupCalls, appCalls, teardownCall } = publicAccumulatedData(data);
    return { parts, requests: [...setupCalls, ...appCalls, ...(teardownCall === undefined ? [] : [teardownCall])] };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
