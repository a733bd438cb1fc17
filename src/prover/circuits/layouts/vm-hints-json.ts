import { concat } from "../../../protocol/bytes.ts";
import { FR_ZERO } from "../../../protocol/field.ts";
import type { CircuitRules } from "../../../protocol/generations/circuits.ts";
import type { Generation } from "../../../protocol/generations/generation.ts";
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

/** What the form of the public VM's input depends on. */
export type VmInputRules = Pick<Generation, "circuits" | "contracts">;

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

/** Keys in the form of the generation's instances, as an object of their members. */
function publicKeys({ vmKeyMembers }: CircuitRules): JsonCodec<Uint8Array> {
  const members = vmKeyMembers.map(({ name, at, form }) => ({ name, at, bytes: form === "point" ? 64 : 32 }));
  const object = jsonObject(Object.fromEntries(members.map(({ name, bytes }) => [name, jsonHex(bytes)])));
  return {
    fromJson(json) {
      const keys = object.fromJson(json);
      return concat(...members.map(({ name }) => keys[name]));
    },
    toJson: (keys) =>
      object.toJson(Object.fromEntries(members.map(({ name, at, bytes }) => [name, keys.subarray(at, at + bytes)]))),
  };
}

/** Zero is the same as none. */
const fieldOrZero: JsonCodec<Uint8Array | undefined> = {
  fromJson: jsonField.fromJson,
  toJson: (value = FR_ZERO) => jsonField.toJson(value),
};

function contractInstance({ circuits, contracts }: VmInputRules) {
  const known = {
    hintKey: jsonNumber,
    address: jsonField,
    salt: jsonField,
    deployer: jsonField,
    currentContractClassId: jsonField,
    originalContractClassId: jsonField,
    initializationHash: jsonField,
  };
  const keys = { publicKeys: publicKeys(circuits) };
  return contracts.bindsImmutables
    ? jsonObject({ ...known, immutablesHash: fieldOrZero, ...keys })
    : jsonObject({ ...known, ...keys });
}

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

/** The form of hints in a generation. */
export function vmHintsJson(rules: VmInputRules) {
  return jsonObject({
    globalVariables: GlobalVariables.json,
    tx,
    protocolContracts: DerivedAddresses.json,
    contractInstances: jsonArray(contractInstance(rules)),
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
}
export type VmHints = FromJson<ReturnType<typeof vmHintsJson>>;
