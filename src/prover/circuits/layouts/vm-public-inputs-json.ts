import { DecodeError } from "../../../protocol/errors.ts";
import {
  type JsonCodec,
  jsonArray,
  jsonBoolean,
  jsonDecimal,
  jsonField,
  jsonFields,
  jsonHex,
  jsonNumber,
  jsonNumberAsField,
  jsonObject,
} from "../../codec/json-codec.ts";
import type { ScopedL2ToL1Message } from "./values.ts";
import { MAX_PUBLIC_LOG_FIELDS, type VmPublicInputs } from "./vm-public-inputs.ts";

/** JSON forms of values that the public VM takes. */

export const snapshotJson = jsonObject({ root: jsonField, nextAvailableLeafIndex: jsonNumber });
export const gasJson = jsonObject({ daGas: jsonNumber, l2Gas: jsonNumber });
export const gasFeesJson = jsonObject({ feePerDaGas: jsonDecimal, feePerL2Gas: jsonDecimal });
export const gasSettingsJson = jsonObject({
  gasLimits: gasJson,
  teardownGasLimits: gasJson,
  maxFeesPerGas: gasFeesJson,
  maxPriorityFeesPerGas: gasFeesJson,
});
export const globalVariablesJson = jsonObject({
  chainId: jsonField,
  version: jsonField,
  blockNumber: jsonNumber,
  slotNumber: jsonNumberAsField,
  timestamp: jsonDecimal,
  coinbase: jsonHex(20),
  feeRecipient: jsonField,
  gasFees: gasFeesJson,
});
export const callRequestJson = jsonObject({
  msgSender: jsonField,
  contractAddress: jsonField,
  isStaticCall: jsonBoolean,
  calldataHash: jsonField,
});
export const treeSnapshotsJson = jsonObject({
  l1ToL2MessageTree: snapshotJson,
  noteHashTree: snapshotJson,
  nullifierTree: snapshotJson,
  publicDataTree: snapshotJson,
});

const scopedMessage = jsonObject({
  message: jsonObject({ recipient: jsonHex(20), content: jsonField }),
  contractAddress: jsonField,
});
export const messageJson: JsonCodec<ScopedL2ToL1Message> = {
  fromJson(value, path) {
    const { message, contractAddress } = scopedMessage.fromJson(value, path);
    return { ...message, contractAddress };
  },
  toJson: ({ recipient, content, contractAddress }) =>
    scopedMessage.toJson({ message: { recipient, content }, contractAddress }),
};

/** The addresses of the protocol contracts, in an object of their own. */
export const derivedAddressesJson: JsonCodec<Uint8Array> = inObject("derivedAddresses", jsonFields(11));

function inObject<T>(name: string, codec: JsonCodec<T>): JsonCodec<T> {
  const object = jsonObject({ value: { as: name, codec } });
  return {
    fromJson: (value, path) => object.fromJson(value, path).value,
    toJson: (value) => object.toJson({ value }),
  };
}

const flatLogs = jsonObject({
  length: jsonNumber,
  payload: jsonFields(MAX_PUBLIC_LOG_FIELDS),
});
/** The fields of all logs; JSON pads them with zeros. */
const publicLogsJson: JsonCodec<Uint8Array> = {
  fromJson(value, path) {
    const { length, payload } = flatLogs.fromJson(value, path);
    if (length > MAX_PUBLIC_LOG_FIELDS) {
      throw new DecodeError(`${path}.length`, `must be at most ${MAX_PUBLIC_LOG_FIELDS}, got ${length}`);
    }
    return payload.subarray(0, length * 32);
  },
  toJson(logs) {
    const payload = new Uint8Array(MAX_PUBLIC_LOG_FIELDS * 32);
    payload.set(logs);
    return flatLogs.toJson({ length: logs.length / 32, payload });
  },
};

const privateLengths = jsonObject({
  noteHashes: jsonNumber,
  nullifiers: jsonNumber,
  l2ToL1Msgs: jsonNumber,
});
const privateData = jsonObject({
  noteHashes: jsonFields(64),
  nullifiers: jsonFields(64),
  l2ToL1Msgs: jsonArray(messageJson, 8),
});

/** Same type as the binary form in the input of PUBLIC_TX_BASE_ROLLUP. */
export const vmPublicInputsJson: JsonCodec<VmPublicInputs> = jsonObject({
  globalVariables: globalVariablesJson,
  derivedAddresses: { as: "protocolContracts", codec: derivedAddressesJson },
  startTrees: { as: "startTreeSnapshots", codec: treeSnapshotsJson },
  startGasUsed: gasJson,
  gasSettings: gasSettingsJson,
  effectiveGasFees: gasFeesJson,
  feePayer: jsonField,
  proverId: jsonField,
  callLengths: {
    as: "publicCallRequestArrayLengths",
    codec: jsonObject({
      setupCalls: jsonNumber,
      appLogicCalls: jsonNumber,
      teardownCall: jsonBoolean,
    }),
  },
  setupCalls: { as: "publicSetupCallRequests", codec: jsonArray(callRequestJson, 32) },
  appLogicCalls: { as: "publicAppLogicCallRequests", codec: jsonArray(callRequestJson, 32) },
  teardownCall: { as: "publicTeardownCallRequest", codec: callRequestJson },
  previousNonRevertibleLengths: {
    as: "previousNonRevertibleAccumulatedDataArrayLengths",
    codec: privateLengths,
  },
  previousRevertibleLengths: { as: "previousRevertibleAccumulatedDataArrayLengths", codec: privateLengths },
  previousNonRevertible: { as: "previousNonRevertibleAccumulatedData", codec: privateData },
  previousRevertible: { as: "previousRevertibleAccumulatedData", codec: privateData },
  endTrees: { as: "endTreeSnapshots", codec: treeSnapshotsJson },
  endGasUsed: gasJson,
  lengths: {
    as: "accumulatedDataArrayLengths",
    codec: jsonObject({
      noteHashes: jsonNumber,
      nullifiers: jsonNumber,
      l2ToL1Msgs: jsonNumber,
      publicDataWrites: jsonNumber,
    }),
  },
  accumulated: {
    as: "accumulatedData",
    codec: jsonObject({
      noteHashes: jsonFields(64),
      nullifiers: jsonFields(64),
      l2ToL1Msgs: jsonArray(messageJson, 8),
      publicLogs: publicLogsJson,
      publicDataWrites: jsonArray(jsonObject({ leafSlot: jsonField, value: jsonField }), 64),
    }),
  },
  transactionFee: jsonField,
  reverted: jsonBoolean,
});
