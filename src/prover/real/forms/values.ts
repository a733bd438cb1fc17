import type { ProofData, VerificationKey, VerificationKeyInTree } from "../../circuits/layouts/proof-data.ts";
import {
  BlockHeader,
  type FeeRecipient,
  type Gas,
  type GasFees,
  type GasSettings,
  type GlobalVariables,
  type PartialState,
  type PublicCallRequest,
  type ScopedL2ToL1Message,
  type Snapshot,
  type SpongeBlob,
  type State,
} from "../../circuits/layouts/values.ts";
import { decode } from "../../codec/codec.ts";
import { bit, bytes, elements, type FieldForm, integer, mapped, record } from "./field-form.ts";

/** Forms of the values that several circuits share (src/prover/circuits/layouts/values.ts). */

export const snapshot: FieldForm<Snapshot> = record({ root: elements, nextAvailableLeafIndex: integer });

export const partialState: FieldForm<PartialState> = record({
  noteHashTree: snapshot,
  nullifierTree: snapshot,
  publicDataTree: snapshot,
});

export const state: FieldForm<State> = record({ l1ToL2MessageTree: snapshot, partial: partialState });

export const gasFees: FieldForm<GasFees> = record({ feePerDaGas: integer, feePerL2Gas: integer });

export const gas: FieldForm<Gas> = record({ daGas: integer, l2Gas: integer });

export const gasSettings: FieldForm<GasSettings> = record({
  gasLimits: gas,
  teardownGasLimits: gas,
  maxFeesPerGas: gasFees,
  maxPriorityFeesPerGas: gasFees,
});

export const globalVariables: FieldForm<GlobalVariables> = record({
  chainId: elements,
  version: elements,
  blockNumber: integer,
  slotNumber: integer,
  timestamp: integer,
  coinbase: bytes,
  feeRecipient: elements,
  gasFees,
});

const blockHeaderParts: FieldForm<BlockHeader> = record({
  lastArchive: snapshot,
  state,
  spongeBlobHash: elements,
  globalVariables,
  totalFees: elements,
  totalManaUsed: elements,
});

/** Of the header's 440 bytes. */
export const blockHeader: FieldForm<Uint8Array> = mapped(blockHeaderParts, (header: Uint8Array) =>
  decode(BlockHeader, "block header", header),
);

export const spongeBlob: FieldForm<SpongeBlob> = record({
  cache: elements,
  state: elements,
  cacheSize: integer,
  squeezeMode: bit,
  numAbsorbedFields: integer,
});

export const publicCallRequest: FieldForm<PublicCallRequest> = record({
  msgSender: elements,
  contractAddress: elements,
  isStaticCall: bit,
  calldataHash: elements,
});

export const l2ToL1Message: FieldForm<ScopedL2ToL1Message> = record({
  recipient: bytes,
  content: elements,
  contractAddress: elements,
});

export const feeRecipient: FieldForm<FeeRecipient> = record({ recipient: bytes, value: elements });

const key: FieldForm<VerificationKey> = (to, { fields, hash }) => to.push(fields, hash);

const keyInTree: FieldForm<VerificationKeyInTree> = record({
  key,
  leafIndex: integer,
  siblingPath: elements,
});

/** A child's proof: what it returned, the proof's fields, and its key. */
export function proofData<T>(publicInputs: FieldForm<T>): FieldForm<ProofData<T>> {
  return record<ProofData<T>>({
    publicInputs,
    proof: (to, { fields }) => to.push(fields),
    verificationKey: keyInTree,
  });
}
