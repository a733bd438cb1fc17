import { array, type Decoded, struct } from "../../codec/codec.ts";
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

const TreeSnapshots = struct({
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

export const PublicDataWrite = struct({ leafSlot: field, value: field });

/** Public logs as one run of fields, of which only the used ones are encoded. */
export const MAX_PUBLIC_LOG_FIELDS = 4096;

/** What the circuit of the public VM takes and returns for one transaction. */
export const VmPublicInputs = struct({
  globalVariables: GlobalVariables,
  /** Addresses of the protocol contracts. */
  derivedAddresses: fields(11),
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
    publicLogs: countedFields(MAX_PUBLIC_LOG_FIELDS),
    publicDataWrites: array(PublicDataWrite, 64),
  }),
  transactionFee: field,
  reverted: flag,
});
export type VmPublicInputs = Decoded<typeof VmPublicInputs>;
