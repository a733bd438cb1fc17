import { fr } from "../field.ts";

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

const AUTH_REGISTRY = fr(1);
const FEE_JUICE = fr(5);

/**
 * The built-in entries, in the order of listing and matching
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list).
 */
export const BUILT_IN_SETUP_CALLS: readonly AllowedSetupCall[] = [
  // _set_authorized((Field),Field,bool)
  {
    address: AUTH_REGISTRY,
    selector: selector(0x61966b7c),
    calldataLength: 4,
    onlySelf: true,
    rejectNullMsgSender: true,
  },
  // set_authorized(Field,bool)
  { address: AUTH_REGISTRY, selector: selector(0xb839de91), calldataLength: 3, rejectNullMsgSender: true },
  // _increase_public_balance((Field),u128)
  { address: FEE_JUICE, selector: selector(0xe7f045ff), calldataLength: 3, onlySelf: true },
];
