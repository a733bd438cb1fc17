import {
  type FromJson,
  type JsonCodec,
  jsonArray,
  jsonBase64,
  jsonBoolean,
  jsonDecimal,
  jsonField,
  jsonFields,
  jsonHex,
  jsonNullable,
  jsonNumber,
  jsonObject,
} from "../../codec/json-codec.ts";
import {
  Gas,
  GasFees,
  GasSettings,
  GlobalVariables,
  PublicCallRequest,
  ScopedL2ToL1Message,
  Snapshot,
} from "./values.ts";
import { DerivedAddresses, TreeSnapshots } from "./vm-public-inputs.ts";

/**
 * What the circuit of the public VM is told about the state: every answer of trees and contracts, in the order in which
 * the VM asked. Hints about trees are looked up by the tree's root and size at that moment (`hintKey`).
 */

const enqueuedCall = jsonObject({ request: PublicCallRequest.json, calldata: jsonFields() });

const deploymentLogs = jsonObject({
  contractClassLogs: jsonArray(
    jsonObject({
      contractAddress: jsonField,
      fields: jsonObject({ fields: jsonFields(3023) }),
      emittedLength: jsonNumber,
    }),
  ),
  privateLogs: jsonArray(jsonObject({ fields: jsonFields(16), emittedLength: jsonNumber })),
});

const effects = jsonObject({
  noteHashes: jsonFields(),
  nullifiers: jsonFields(),
  l2ToL1Messages: jsonArray(ScopedL2ToL1Message.json),
});

const tx = jsonObject({
  hash: jsonField,
  gasSettings: GasSettings.json,
  effectiveGasFees: GasFees.json,
  nonRevertibleContractDeploymentData: deploymentLogs,
  revertibleContractDeploymentData: deploymentLogs,
  nonRevertibleAccumulatedData: effects,
  revertibleAccumulatedData: effects,
  setupEnqueuedCalls: jsonArray(enqueuedCall),
  appLogicEnqueuedCalls: jsonArray(enqueuedCall),
  teardownEnqueuedCall: jsonNullable(enqueuedCall),
  gasUsedByPrivate: Gas.json,
  feePayer: jsonField,
});

/** Coordinates of a point, 32 bytes each. */
const point = jsonHex(64);
const contractInstance = jsonObject({
  hintKey: jsonNumber,
  address: jsonField,
  salt: jsonField,
  deployer: jsonField,
  currentContractClassId: jsonField,
  originalContractClassId: jsonField,
  initializationHash: jsonField,
  publicKeys: jsonObject({
    masterNullifierPublicKey: point,
    masterIncomingViewingPublicKey: point,
    masterOutgoingViewingPublicKey: point,
    masterTaggingPublicKey: point,
  }),
});

const checkpoint = { actionCounter: jsonNumber, oldCheckpointId: jsonNumber, newCheckpointId: jsonNumber };
const checkpoints = jsonArray(jsonObject(checkpoint));

/** A hint about a tree at a moment. */
const inTree = { hintKey: Snapshot.json, treeId: jsonNumber };

const publicDataLeaf = jsonObject({ slot: jsonField, value: jsonField });
const nullifierLeaf = jsonObject({ nullifier: jsonField });

function preimage<T>(leaf: JsonCodec<T>) {
  return jsonObject({ leaf, nextKey: jsonField, nextIndex: jsonDecimal });
}

function leafPreimages<T>(leaf: JsonCodec<T>) {
  return jsonArray(jsonObject({ hintKey: Snapshot.json, index: jsonDecimal, leafPreimage: preimage(leaf) }));
}

function insertions<T>(leaf: JsonCodec<T>) {
  const witness = jsonObject({ leaf: preimage(leaf), index: jsonDecimal, path: jsonFields() });
  return jsonArray(
    jsonObject({
      hintKey: Snapshot.json,
      stateAfter: Snapshot.json,
      treeId: jsonNumber,
      leaf,
      lowLeavesWitnessData: witness,
      insertionWitnessData: witness,
    }),
  );
}

export const vmHintsJson = jsonObject({
  globalVariables: GlobalVariables.json,
  tx,
  protocolContracts: DerivedAddresses.json,
  contractInstances: jsonArray(contractInstance),
  contractClasses: jsonArray(
    jsonObject({
      hintKey: jsonNumber,
      classId: jsonField,
      artifactHash: jsonField,
      privateFunctionsRoot: jsonField,
      packedBytecode: jsonBase64,
    }),
  ),
  bytecodeCommitments: jsonArray(jsonObject({ hintKey: jsonNumber, classId: jsonField, commitment: jsonField })),
  /** Always empty outside of tests of the VM. */
  debugFunctionNames: jsonArray(jsonObject({}), 0),
  contractDbCreateCheckpointHints: checkpoints,
  contractDbCommitCheckpointHints: checkpoints,
  contractDbRevertCheckpointHints: checkpoints,
  startingTreeRoots: TreeSnapshots.json,
  getSiblingPathHints: jsonArray(jsonObject({ ...inTree, index: jsonDecimal, path: jsonFields() })),
  getPreviousValueIndexHints: jsonArray(
    jsonObject({ ...inTree, value: jsonField, index: jsonDecimal, alreadyPresent: jsonBoolean }),
  ),
  getLeafPreimageHintsPublicDataTree: leafPreimages(publicDataLeaf),
  getLeafPreimageHintsNullifierTree: leafPreimages(nullifierLeaf),
  getLeafValueHints: jsonArray(jsonObject({ ...inTree, index: jsonDecimal, value: jsonField })),
  sequentialInsertHintsPublicDataTree: insertions(publicDataLeaf),
  sequentialInsertHintsNullifierTree: insertions(nullifierLeaf),
  appendLeavesHints: jsonArray(
    jsonObject({ hintKey: Snapshot.json, stateAfter: Snapshot.json, treeId: jsonNumber, leaves: jsonFields() }),
  ),
  createCheckpointHints: checkpoints,
  commitCheckpointHints: checkpoints,
  revertCheckpointHints: jsonArray(
    jsonObject({ ...checkpoint, stateBefore: TreeSnapshots.json, stateAfter: TreeSnapshots.json }),
  ),
});
export type VmHints = FromJson<typeof vmHintsJson>;
