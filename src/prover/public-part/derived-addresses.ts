import type { Core } from "../../core/core.ts";
import { FR_ZERO, fr } from "../../protocol/field.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";

/** Slots for protocol contracts; unused ones are zero. */
const MAX_PROTOCOL_CONTRACTS = 11;

const known = new WeakMap<ContractRules, Uint8Array>();

/**
 * The addresses that the protocol contracts' instances have by derivation, 11 fields
 * (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 */
export function derivedAddresses(core: Core, contracts: ContractRules): Uint8Array {
  let addresses = known.get(contracts);
  if (addresses === undefined) {
    addresses = new Uint8Array(MAX_PROTOCOL_CONTRACTS * 32);
    for (const { address, classId } of contracts.protocolContracts) {
      const instance = {
        salt: fr(1),
        deployer: address,
        initializationHash: FR_ZERO,
        publicKeys: contracts.defaultPublicKeys,
      };
      // The place of a contract is its address, from 1 on.
      addresses.set(contracts.instanceAddress(core, { ...instance, classId }), (address[31] - 1) * 32);
    }
    known.set(contracts, addresses);
  }
  return addresses;
}
