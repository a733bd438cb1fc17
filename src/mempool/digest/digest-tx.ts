import type { Core } from "../../core/core.ts";
import { txHashInput } from "../../core/derive/tx-hash.ts";
import { BLOCK_HEADER_BYTES } from "../../protocol/block-header.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import {
  type AccumulatedData,
  isForPublic,
  type PublicCallRequest,
  publicAccumulatedData,
} from "../../protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import { REASON } from "../../protocol/tx/refusal-reasons.ts";
import { AnchorHashes } from "./anchor-hashes.ts";
import { calldataRule, classLogRule } from "./data-fault.ts";
import type { HashPlan } from "./hash-plan.ts";
import { accumulatedParts, classFault, contractsReadable, instanceFault } from "./published-contracts.ts";
import type { ContentDigest, DigestedTx, DigestJob, DigestParts, TxDigest } from "./tx-digest.ts";

/** What a digest is computed with. */
interface DigestTools {
  core: Core;
  contracts: ContractRules;
  anchors?: AnchorHashes;
}

/**
 * Computes digest parts of txs: 6 to 15 ms for the hash of one tx, a quarter less for each of two together, and up to
 * 150 ms for the largest calldata. Never throws for a tx that passed decoding: a tx whose parts cannot be read gets a
 * fault. `anchors` may be kept for the next call.
 */
export function digestParts(
  { core, contracts, anchors = new AnchorHashes() }: DigestTools,
  jobs: readonly DigestJob[],
): Partial<DigestParts>[] {
  const plans = jobs.map((job) => digestPlan({ core, contracts, anchors }, job));
  const hashes = core.hashEach(plans.flatMap(({ inputs }) => inputs));
  let end = 0;
  return plans.map(({ inputs, conclude }) => {
    end += inputs.length;
    return conclude(hashes.slice(end - inputs.length, end));
  });
}

export function digestTx(core: Core, tx: DigestedTx, contracts: ContractRules): TxDigest {
  const { inputs, conclude } = contentPlan({ core, contracts, anchors: new AnchorHashes() }, tx);
  const [hash, ...rest] = core.hashEach([txHashInput(tx.data), ...inputs]);
  return { hash, ...conclude(rest) };
}

function digestPlan(tools: Required<DigestTools>, { tx, parts }: DigestJob): HashPlan<Partial<DigestParts>> {
  const own = parts.includes("hash") ? [txHashInput(tx.data)] : [];
  const content = parts.includes("content") ? contentPlan(tools, tx) : undefined;
  return {
    inputs: [...own, ...(content?.inputs ?? [])],
    conclude: (hashes) => ({
      hash: hashes.slice(0, own.length).at(0),
      content: content?.conclude(hashes.slice(own.length)),
    }),
  };
}

function contentPlan({ core, contracts, anchors }: Required<DigestTools>, tx: DigestedTx): HashPlan<ContentDigest> {
  const { data } = tx;
  const anchorHeader = data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
  const anchor = anchors.plan(anchorHeader);
  const read = readParts(data);
  if (read === undefined) {
    return {
      inputs: anchor.inputs,
      conclude: (hashes) => ({
        anchorHash: anchor.conclude(hashes),
        dataFault: REASON.unexpected,
        instanceFault: undefined,
        contractsReadable: false,
      }),
    };
  }
  const { parts, requests } = read;
  const calls = calldataRule(requests, tx);
  const classLogs = classLogRule(parts, tx);
  return {
    inputs: [...anchor.inputs, ...calls.inputs, ...classLogs.inputs],
    conclude(hashes) {
      const rest = hashes.slice(anchor.inputs.length);
      const ofCalls = rest.slice(0, calls.inputs.length);
      const ofLogs = rest.slice(calls.inputs.length);
      const classes = classFault(core, parts, tx, contracts);
      return {
        anchorHash: anchor.conclude(hashes),
        dataFault: calls.fault(ofCalls) ?? classLogs.fault(ofLogs) ?? classes,
        instanceFault: instanceFault(core, parts, contracts),
        contractsReadable: contractsReadable(parts, tx, { fault: classes, contracts }),
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
