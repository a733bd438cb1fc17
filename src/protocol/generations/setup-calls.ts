import type { Fr } from "../field.ts";
import type { AllowedSetupCall } from "./transactions.ts";

const selector = (value: number) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

/** _increase_public_balance((Field),u128) of FeeJuice. */
export const INCREASE_PUBLIC_BALANCE = selector(0xe7f045ff);

/**
 * The functions that every node allows during setup
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list), by the addresses of their contracts.
 */
export function builtInSetupCalls(contracts: { authRegistry: Fr; feeJuice: Fr }): readonly AllowedSetupCall[] {
  const { authRegistry, feeJuice } = contracts;
  return [
    // _set_authorized((Field),Field,bool)
    {
      address: authRegistry,
      selector: selector(0x61966b7c),
      calldataLength: 4,
      onlySelf: true,
      rejectNullMsgSender: true,
    },
    // set_authorized(Field,bool)
    { address: authRegistry, selector: selector(0xb839de91), calldataLength: 3, rejectNullMsgSender: true },
    { address: feeJuice, selector: INCREASE_PUBLIC_BALANCE, calldataLength: 3, onlySelf: true },
  ];
}
