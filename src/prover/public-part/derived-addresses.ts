import type { Core } from "../../core/core.ts";
import { FR_ZERO, fr } from "../../protocol/field.ts";
import { V4 } from "../../protocol/generations/v4/v4.ts";

/** Slots for protocol contracts; unused ones are zero. */
const MAX_PROTOCOL_CONTRACTS = 11;

let known: Uint8Array | undefined;

/**
 * The addresses that the protocol contracts' instances have by derivation, 11 fields
 * (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 */
export function derivedAddresses(core: Core): Uint8Array {
  if (known === undefined) {
    known = new Uint8Array(MAX_PROTOCOL_CONTRACTS * 32);
    for (const [i, { address, classId }] of V4.contracts.protocolContracts.entries()) {
      const instance = {
        salt: fr(1),
        deployer: address,
        initializationHash: FR_ZERO,
        publicKeys: V4.contracts.defaultPublicKeys,
      };
      known.set(V4.contracts.instanceAddress(core, { ...instance, classId }), i * 32);
    }
  }
  return known;
}
