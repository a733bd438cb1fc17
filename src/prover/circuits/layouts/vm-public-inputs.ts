import { array, type Codec, type Decoded, struct } from "../../codec/codec.ts";
import { jsonFields, jsonInObject, jsonNumber, jsonObject } from "../../codec/json-codec.ts";
import { countedFields, field, fields, flag, u32 } from "../../codec/primitives.ts";
import {
  Gas,
  GasFees,
  GasSettings,
  GlobalVariables,
  PublicCallRequest,
  ScopedL2ToL1Message,
  Snapshot,
} from "./values.ts";

export const TreeSnapshots = struct({
  l1ToL2MessageTree: Snapshot,
  noteHashTree: Snapshot,
  nullifierTree: Snapshot,
  publicDataTree: Snapshot,
});
export type TreeSnapshots = Decoded<typeof TreeSnapshots>;

const PrivateLengths = struct({ noteHashes: u32, nullifiers: u32, l2ToL1Msgs: u32 });
const PrivateData = struct({
  noteHashes: fields(64),
  nullifiers: fields(64),
  l2ToL1Msgs: array(ScopedL2ToL1Message, 8),
});

const PublicDataWrite = struct({ leafSlot: field, value: field });

/** Addresses of the protocol contracts; JSON has them in an object of their own. */
export const DerivedAddresses: Codec<Uint8Array> = {
  ...fields(11),
  json: jsonInObject("derivedAddresses", jsonFields(11)),
};

const MAX_PUBLIC_LOG_FIELDS = 4096;
const flatLogs = jsonObject({ length: jsonNumber, payload: jsonFields(MAX_PUBLIC_LOG_FIELDS) });

function padded(logs: Uint8Array): Uint8Array {
  const payload = new Uint8Array(MAX_PUBLIC_LOG_FIELDS * 32);
  payload.set(logs);
  return payload;
}

/** The fields of all public logs as one run. Circuits and JSON take their count, and pad them with zeros. */
const PublicLogs: Codec<Uint8Array> = {
  ...countedFields(MAX_PUBLIC_LOG_FIELDS),
  toFields(to, logs) {
    u32.toFields(to, logs.length / 32);
    to.push(padded(logs));
  },
  json: {
    fromJson(json) {
      const { length, payload } = flatLogs.fromJson(json);
      if (length > MAX_PUBLIC_LOG_FIELDS) {
        return json.key("length").broken(`must be at most ${MAX_PUBLIC_LOG_FIELDS}, got ${length}`);
      }
      return payload.subarray(0, length * 32);
    },
    toJson: (logs) => flatLogs.toJson({ length: logs.length / 32, payload: padded(logs) }),
  },
};

/** What the circuit of the public VM takes and returns for one transaction. */
export const VmPublicInputs = struct(
  {
    globalVariables: GlobalVariables,
    derivedAddresses: DerivedAddresses,
    startTrees: TreeSnapshots,
    startGasUsed: Gas,
    gasSettings: GasSettings,
    effectiveGasFees: GasFees,
    feePayer: field,
    proverId: field,
    callLengths: struct({ setupCalls: u32, appLogicCalls: u32, teardownCall: flag }),
    setupCalls: array(PublicCallRequest, 32),
    appLogicCalls: array(PublicCallRequest, 32),
    teardownCall: PublicCallRequest,
    previousNonRevertibleLengths: PrivateLengths,
    previousRevertibleLengths: PrivateLengths,
    previousNonRevertible: PrivateData,
    previousRevertible: PrivateData,
    endTrees: TreeSnapshots,
    endGasUsed: Gas,
    lengths: struct({ noteHashes: u32, nullifiers: u32, l2ToL1Msgs: u32, publicDataWrites: u32 }),
    accumulated: struct({
      noteHashes: fields(64),
      nullifiers: fields(64),
      l2ToL1Msgs: array(ScopedL2ToL1Message, 8),
      publicLogs: PublicLogs,
      publicDataWrites: array(PublicDataWrite, 64),
    }),
    transactionFee: field,
    reverted: flag,
  },
  {
    names: {
      derivedAddresses: "protocolContracts",
      startTrees: "startTreeSnapshots",
      callLengths: "publicCallRequestArrayLengths",
      setupCalls: "publicSetupCallRequests",
      appLogicCalls: "publicAppLogicCallRequests",
      teardownCall: "publicTeardownCallRequest",
      previousNonRevertibleLengths: "previousNonRevertibleAccumulatedDataArrayLengths",
      previousRevertibleLengths: "previousRevertibleAccumulatedDataArrayLengths",
      previousNonRevertible: "previousNonRevertibleAccumulatedData",
      previousRevertible: "previousRevertibleAccumulatedData",
      endTrees: "endTreeSnapshots",
      lengths: "accumulatedDataArrayLengths",
      accumulated: "accumulatedData",
    },
  },
);
export type VmPublicInputs = Decoded<typeof VmPublicInputs>;
