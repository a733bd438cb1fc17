import { networkOf } from "../../../src/mempool/validation/check-contexts.ts";
import type { CheckContext, CheckedState } from "../../../src/mempool/validation/checks/context.ts";
import { readBigUint } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { IDENTITY } from "../rpc/fakes.ts";

/** A state without nullifiers that knows every block and in which every payer is rich. */
export function freeState(overrides: Partial<CheckedState> = {}): CheckedState {
  return { hasNullifier: () => false, hasBlock: () => true, feeJuice: () => 10n ** 30n, ...overrides };
}

/** A context of v4 in which a valid tx passes, if it was made for the same network as `tx`. */
export function contextFor(tx: Tx, overrides: Partial<CheckContext> = {}): CheckContext {
  const field = (at: number) => new Uint8Array(tx.data.subarray(at, at + 32));
  return {
    permitted: true,
    rules: V4,
    network: {
      ...networkOf(IDENTITY, V4.contracts),
      chainId: field(TX_DATA_AT.chainId),
      rollupVersion: field(TX_DATA_AT.version),
    },
    target: { timestamp: readBigUint(tx.data, TX_DATA_AT.expirationTimestamp, 8) - 1n, blockNumber: 13 },
    state: freeState(),
    gasFees: { feePerDaGas: 0n, feePerL2Gas: 0n },
    gasLimits: V4.transactions.maxGas,
    setupAllowList: V4.transactions.setupCalls,
    contractInstance: () => undefined,
    ...overrides,
  };
}
