import type { ProofData } from "../../circuits/layouts/proof-data.ts";
import type { CheckpointRootHints } from "../../circuits/layouts/upper-inputs.ts";
import type { BinaryJobType, JobInput } from "../../jobs/job-input.ts";
import type { PublicInputs } from "../../jobs/job-output.ts";
import { blsPoint, each, elements, type FieldForm, integer, record } from "./field-form.ts";
import {
  blobAccumulator,
  blockRollup,
  checkpointConstants,
  checkpointRollup,
  epochRollup,
  finalBlobChallenges,
  parity,
  txRollup,
} from "./rollups.ts";
import { chonkVerifierInput, chonkVerifierOutput, privateBaseInput, publicBaseInput } from "./tx-inputs.ts";
import { blockHeader, proofData, snapshot, state } from "./values.ts";

/** How a circuit takes its input and returns its output, in the order of the ABI of the published circuits. */
export interface CircuitForm<T extends BinaryJobType> {
  readonly input: FieldForm<JobInput<T>>;
  readonly output: FieldForm<PublicInputs<T>>;
}

interface Children<T> {
  readonly children: readonly ProofData<T>[];
}

function childrenOf<T>(child: FieldForm<T>): FieldForm<Children<T>> {
  return record({ children: each(proofData(child)) });
}

const blockRootFirst: FieldForm<JobInput<"BLOCK_ROOT_FIRST_ROLLUP">> = record({
  parity: proofData(parity),
  children: each(proofData(txRollup)),
  previousL1ToL2MessageTree: snapshot,
  messageSubtreePath: elements,
  newArchivePath: elements,
});

const blockRoot: FieldForm<JobInput<"BLOCK_ROOT_ROLLUP">> = record({
  children: each(proofData(txRollup)),
  newArchivePath: elements,
});

const checkpointRoot: FieldForm<JobInput<"CHECKPOINT_ROOT_ROLLUP">> = record({
  children: each(proofData(blockRollup)),
  hints: record<CheckpointRootHints>({
    previousBlockHeader: blockHeader,
    previousArchivePath: elements,
    previousOutHash: snapshot,
    newOutHashPath: elements,
    startAccumulator: blobAccumulator,
    finalChallenges: finalBlobChallenges,
    blobFields: elements,
    blobCommitments: each(blsPoint),
    blobsHash: elements,
  }),
});

export const CIRCUIT_FORMS: { readonly [T in BinaryJobType]: CircuitForm<T> } = {
  PUBLIC_CHONK_VERIFIER: { input: chonkVerifierInput, output: chonkVerifierOutput },
  PRIVATE_TX_BASE_ROLLUP: { input: privateBaseInput, output: txRollup },
  PUBLIC_TX_BASE_ROLLUP: { input: publicBaseInput, output: txRollup },
  TX_MERGE_ROLLUP: { input: childrenOf(txRollup), output: txRollup },
  BLOCK_ROOT_FIRST_ROLLUP: { input: blockRootFirst, output: blockRollup },
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: { input: blockRootFirst, output: blockRollup },
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: {
    input: record<JobInput<"BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP">>({
      parity: proofData(parity),
      previousArchive: snapshot,
      previousState: state,
      constants: checkpointConstants,
      timestamp: integer,
      messageSubtreePath: elements,
      newArchivePath: elements,
    }),
    output: blockRollup,
  },
  BLOCK_ROOT_ROLLUP: { input: blockRoot, output: blockRollup },
  BLOCK_ROOT_SINGLE_TX_ROLLUP: { input: blockRoot, output: blockRollup },
  BLOCK_MERGE_ROLLUP: { input: childrenOf(blockRollup), output: blockRollup },
  CHECKPOINT_ROOT_ROLLUP: { input: checkpointRoot, output: checkpointRollup },
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: { input: checkpointRoot, output: checkpointRollup },
  CHECKPOINT_PADDING_ROLLUP: { input: record<JobInput<"CHECKPOINT_PADDING_ROLLUP">>({}), output: checkpointRollup },
  CHECKPOINT_MERGE_ROLLUP: { input: childrenOf(checkpointRollup), output: checkpointRollup },
  ROOT_ROLLUP: { input: childrenOf(checkpointRollup), output: epochRollup },
  PARITY_BASE: {
    input: record<JobInput<"PARITY_BASE">>({ messages: elements, vkTreeRoot: elements }),
    output: parity,
  },
  PARITY_ROOT: { input: childrenOf(parity), output: parity },
};
