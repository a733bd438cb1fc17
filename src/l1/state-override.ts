/** A word of a contract's storage that a simulated call sees instead of the stored one. All are 0x text. */
export interface StateOverride {
  address: string;
  /** 32 bytes. */
  slot: string;
  /** 32 bytes. */
  value: string;
}

/** The form of eth_call and eth_simulateV1. */
export function stateOverrides(overrides: readonly StateOverride[]): object {
  const byAddress: Record<string, { stateDiff: Record<string, string> }> = {};
  for (const { address, slot, value } of overrides) {
    byAddress[address] ??= { stateDiff: {} };
    byAddress[address].stateDiff[slot] = value;
  }
  return byAddress;
}
