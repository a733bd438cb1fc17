import type { ContractRules } from "../generations/contracts.ts";

/** A public function that a tx may call during setup, at one address or in all instances of a class. */
export type AllowedSetupCall = ({ address: Uint8Array } | { classId: Uint8Array }) & {
  /** 4 bytes. */
  selector: Uint8Array;
  /** Number of calldata fields, including the selector. */
  calldataLength?: number;
  /** The caller must be the contract itself. */
  onlySelf?: true;
  rejectNullMsgSender?: true;
};

const selector = (value: number) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

/**
 * The built-in entries, in the order of listing and matching
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list).
 */
export function builtInSetupCalls({
  authRegistry,
  feeJuice,
}: Pick<ContractRules, "authRegistry" | "feeJuice">): AllowedSetupCall[] {
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
    // _increase_public_balance((Field),u128)
    { address: feeJuice, selector: selector(0xe7f045ff), calldataLength: 3, onlySelf: true },
  ];
}
