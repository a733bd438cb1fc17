import type { Core } from "../../../src/core/core.ts";
import { SEPARATOR } from "../../../src/protocol/constants.ts";
import type { Fr } from "../../../src/protocol/field.ts";

/** Slots for protocol contracts; unused ones are zero. */
const MAX_PROTOCOL_CONTRACTS = 11;

/**
 * Hash of the derived addresses of the protocol contracts, in the order of their small addresses
 * (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 */
export function protocolContractsHash(core: Core, derivedAddresses: readonly Fr[]): Fr {
  const fields = new Uint8Array(MAX_PROTOCOL_CONTRACTS * 32);
  derivedAddresses.forEach((address, i) => {
    fields.set(address, i * 32);
  });
  return core.hashWithSeparator(SEPARATOR.PROTOCOL_CONTRACTS, fields);
}
