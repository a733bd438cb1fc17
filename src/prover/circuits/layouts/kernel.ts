import { array, checkedBytes, type Decoded, struct } from "../../codec/codec.ts";
import { field, fields, u32, u64 } from "../../codec/primitives.ts";
import { BlockHeaderBytes, Gas, GasSettings, PublicCallRequest, ScopedL2ToL1Message } from "./values.ts";

const TxConstants = struct({
  anchorBlockHeader: BlockHeaderBytes,
  chainId: field,
  version: field,
  gasSettings: GasSettings,
  vkTreeRoot: field,
  protocolContractsHash: field,
});

const Accumulated = struct({
  noteHashes: fields(64),
  nullifiers: fields(64),
  l2ToL1Msgs: array(ScopedL2ToL1Message, 8),
  privateLogs: array(struct({ fields: fields(16), emittedLength: u32 }), 64),
  contractClassLogHashes: struct({ value: field, length: u32, contractAddress: field }),
});

const AccumulatedWithCalls = struct({ data: Accumulated, publicCallRequests: array(PublicCallRequest, 32) });

const End = struct({ gasUsed: Gas, feePayer: field, expirationTimestamp: u64 });

/** Bytes of a kernel's output in proving jobs: gas, fee payer and expiration stand at the end. */
const TO_ROLLUP_BYTES = 38_556;
const TO_PUBLIC_BYTES = 82_721;

/** Output of the private kernel of a tx without public calls, as its parts. */
const ToRollupParts = struct({ constants: TxConstants, accumulated: Accumulated, end: End });

/** Output of the private kernel of a tx without public calls. */
export const ToRollup = checkedBytes(ToRollupParts, TO_ROLLUP_BYTES);

/** Output of the private kernel of a tx with public calls, as its parts. */
export const ToPublicParts = struct({
  constants: TxConstants,
  nonRevertible: AccumulatedWithCalls,
  revertible: AccumulatedWithCalls,
  teardownCall: PublicCallRequest,
  end: End,
});
export type ToPublicParts = Decoded<typeof ToPublicParts>;

/** Output of the private kernel of a tx with public calls. */
export const ToPublic = checkedBytes(ToPublicParts, TO_PUBLIC_BYTES);

/** Output of the circuit that verifies a client's proof. */
export const ChonkVerifierOutput = struct({ kernelOutput: ToPublic, proverId: field });
export type ChonkVerifierOutput = Decoded<typeof ChonkVerifierOutput>;
