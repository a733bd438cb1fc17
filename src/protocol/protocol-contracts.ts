import { fromHex } from "./bytes.ts";
import published from "./data/protocol-contracts.json" with { type: "json" };
import { fr } from "./field.ts";

/** A contract that every network has from genesis on, and the parts of its class. */
export interface ProtocolContract {
  name: string;
  address: Uint8Array;
  classId: Uint8Array;
  artifactHash: Uint8Array;
  privateFunctionsRoot: Uint8Array;
  packedBytecode: Uint8Array;
}

/** Version of the compiler (nargo) that built the release's own contracts. */
export const CONTRACT_COMPILER_VERSION: string = published.compiler;

/**
 * The protocol contracts by ascending address, 1 to 6 (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 * scripts/fetch-protocol-contracts.ts writes the data.
 */
export const PROTOCOL_CONTRACTS: readonly ProtocolContract[] = published.contracts.map((contract) => ({
  name: contract.name,
  address: fr(contract.address),
  classId: fromHex(contract.classId),
  artifactHash: fromHex(contract.artifactHash),
  privateFunctionsRoot: fromHex(contract.privateFunctionsRoot),
  packedBytecode: new Uint8Array(Buffer.from(contract.packedBytecode, "base64")),
}));
