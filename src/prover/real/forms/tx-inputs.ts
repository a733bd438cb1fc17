import { type ChonkVerifierOutput, ToPublicParts, ToRollupParts } from "../../circuits/layouts/kernel.ts";
import type {
  ChonkVerifierInput,
  NullifierLeaf,
  PrivateBaseInput,
  PublicBaseInput,
  PublicDataLeaf,
} from "../../circuits/layouts/tx-base.ts";
import {
  MAX_PUBLIC_LOG_FIELDS,
  type TreeSnapshots,
  type VmPublicInputs,
} from "../../circuits/layouts/vm-public-inputs.ts";
import { decode } from "../../codec/codec.ts";
import { bit, bytes, each, elements, type FieldForm, integer, mapped, record } from "./field-form.ts";
import { blockConstants } from "./rollups.ts";
import {
  blockHeader,
  gas,
  gasFees,
  gasSettings,
  globalVariables,
  l2ToL1Message,
  partialState,
  proofData,
  publicCallRequest,
  snapshot,
  spongeBlob,
} from "./values.ts";

/** Forms of the inputs of the circuits for one transaction (src/prover/circuits/layouts/tx-base.ts). */

type Accumulated = ToRollupParts["accumulated"];

const txConstants: FieldForm<ToRollupParts["constants"]> = record({
  anchorBlockHeader: blockHeader,
  chainId: elements,
  version: elements,
  gasSettings,
  vkTreeRoot: elements,
  protocolContractsHash: elements,
});

const accumulated: FieldForm<Accumulated> = record({
  noteHashes: elements,
  nullifiers: elements,
  l2ToL1Msgs: each(l2ToL1Message),
  privateLogs: each(record<Accumulated["privateLogs"][number]>({ fields: elements, emittedLength: integer })),
  contractClassLogHashes: record<Accumulated["contractClassLogHashes"]>({
    value: elements,
    length: integer,
    contractAddress: elements,
  }),
});

const accumulatedWithCalls: FieldForm<ToPublicParts["revertible"]> = record({
  data: accumulated,
  publicCallRequests: each(publicCallRequest),
});

const end: FieldForm<ToRollupParts["end"]> = record({
  gasUsed: gas,
  feePayer: elements,
  expirationTimestamp: integer,
});

const toRollup: FieldForm<Uint8Array> = mapped(
  record<ToRollupParts>({ constants: txConstants, accumulated, end }),
  (output) => decode(ToRollupParts, "kernel output", output),
);

const toPublic: FieldForm<Uint8Array> = mapped(
  record<ToPublicParts>({
    constants: txConstants,
    nonRevertible: accumulatedWithCalls,
    revertible: accumulatedWithCalls,
    teardownCall: publicCallRequest,
    end,
  }),
  (output) => decode(ToPublicParts, "kernel output", output),
);

export const chonkVerifierOutput: FieldForm<ChonkVerifierOutput> = record({
  kernelOutput: toPublic,
  proverId: elements,
});

export const chonkVerifierInput: FieldForm<ChonkVerifierInput> = record({
  hidingKernel: proofData(toPublic),
  proverId: elements,
});

const nullifierLeaf: FieldForm<NullifierLeaf> = record({
  nullifier: elements,
  nextNullifier: elements,
  nextIndex: bytes,
});

const publicDataLeaf: FieldForm<PublicDataLeaf> = record({
  slot: elements,
  value: elements,
  nextSlot: elements,
  nextIndex: bytes,
});

type PrivateBaseHints = PrivateBaseInput["hints"];
const leafPath: FieldForm<PrivateBaseHints["treeDiff"]["feePayerBalancePath"]> = record({
  leafIndex: bytes,
  siblingPath: elements,
});

const treeDiff: FieldForm<PrivateBaseHints["treeDiff"]> = record({
  noteHashSubtreePath: elements,
  sortedNullifiers: elements,
  sortedNullifierIndexes: each<number>(integer),
  lowNullifiers: each(nullifierLeaf),
  lowNullifierPaths: each(leafPath),
  nullifierSubtreePath: elements,
  feePayerBalancePath: leafPath,
});

export const privateBaseInput: FieldForm<PrivateBaseInput> = record({
  hidingKernel: proofData(toRollup),
  hints: record<PrivateBaseHints>({
    constants: blockConstants,
    start: partialState,
    startSponge: spongeBlob,
    contractClassLogFields: elements,
    feePayerBalance: publicDataLeaf,
    anchorBlockArchivePath: elements,
    treeDiff,
  }),
});

const treeSnapshots: FieldForm<TreeSnapshots> = record({
  l1ToL2MessageTree: snapshot,
  noteHashTree: snapshot,
  nullifierTree: snapshot,
  publicDataTree: snapshot,
});

const privateLengths: FieldForm<VmPublicInputs["previousRevertibleLengths"]> = record({
  noteHashes: integer,
  nullifiers: integer,
  l2ToL1Msgs: integer,
});

const privateData: FieldForm<VmPublicInputs["previousRevertible"]> = record({
  noteHashes: elements,
  nullifiers: elements,
  l2ToL1Msgs: each(l2ToL1Message),
});

/** Used fields, counted, then zeros. */
const publicLogs: FieldForm<Uint8Array> = (to, used) => {
  integer(to, used.length / 32);
  to.push(used, new Uint8Array(MAX_PUBLIC_LOG_FIELDS * 32 - used.length));
};

type VmAccumulated = VmPublicInputs["accumulated"];
const vmPublicInputs: FieldForm<VmPublicInputs> = record({
  globalVariables,
  derivedAddresses: elements,
  startTrees: treeSnapshots,
  startGasUsed: gas,
  gasSettings,
  effectiveGasFees: gasFees,
  feePayer: elements,
  proverId: elements,
  callLengths: record<VmPublicInputs["callLengths"]>({
    setupCalls: integer,
    appLogicCalls: integer,
    teardownCall: bit,
  }),
  setupCalls: each(publicCallRequest),
  appLogicCalls: each(publicCallRequest),
  teardownCall: publicCallRequest,
  previousNonRevertibleLengths: privateLengths,
  previousRevertibleLengths: privateLengths,
  previousNonRevertible: privateData,
  previousRevertible: privateData,
  endTrees: treeSnapshots,
  endGasUsed: gas,
  lengths: record<VmPublicInputs["lengths"]>({
    noteHashes: integer,
    nullifiers: integer,
    l2ToL1Msgs: integer,
    publicDataWrites: integer,
  }),
  accumulated: record<VmAccumulated>({
    noteHashes: elements,
    nullifiers: elements,
    l2ToL1Msgs: each(l2ToL1Message),
    publicLogs,
    publicDataWrites: each(record<VmAccumulated["publicDataWrites"][number]>({ leafSlot: elements, value: elements })),
  }),
  transactionFee: elements,
  reverted: bit,
});

export const publicBaseInput: FieldForm<PublicBaseInput> = record({
  chonkVerifier: proofData(chonkVerifierOutput),
  vm: vmPublicInputs,
  vmProof: (to: Uint8Array[], { fields }: PublicBaseInput["vmProof"]) => to.push(fields),
  hints: record<PublicBaseInput["hints"]>({
    startSponge: spongeBlob,
    lastArchive: snapshot,
    anchorBlockArchivePath: elements,
    contractClassLogFields: elements,
  }),
});
