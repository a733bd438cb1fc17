import { toHex } from "../../../protocol/bytes.ts";
import { amount } from "../../codecs/json/big-integer.ts";
import { array, type Codec, converted } from "../../codecs/json/codec.ts";
import { l2Address as l2AddressBytes } from "../../codecs/json/field.ts";
import { integer, plainNumber } from "../../codecs/json/number.ts";
import { boolean, text, word } from "../../codecs/json/text.ts";
import { l1Address as l1AddressBytes } from "../../codecs/shared/l1-address.ts";
import { type SetupCall, setupCall } from "./setup-call.ts";

/**
 * Types of configuration keys (docs/protocol/05-rpc.md#535-admin-configuration). Values are kept in their JSON form,
 * amounts as bigint.
 */

/** A JSON number of at least 0. */
export const number = plainNumber({ least: 0 });
export const numberFrom = (least: number, most?: number): Codec<number> => plainNumber({ least, most });
export const numberAbove = (above: number, most?: number): Codec<number> => plainNumber({ above, most });
/** A whole number; its text form is accepted too. */
export const wholeFrom = (least: number, most = Number.MAX_SAFE_INTEGER): Codec<number> => integer({ least, most });
/** Longest timeout of a Node.js timer. */
export const MOST_MILLISECONDS = 2 ** 31 - 1;
export const oneOf = word;
/** 0x text, lower case. */
export const l1Address: Codec<string> = converted(l1AddressBytes, toHex);
export const l2Address: Codec<string> = converted(l2AddressBytes, toHex);
const MOST_ELEMENTS = 10_000;
export const l1Addresses: Codec<string[]> = array(l1Address, MOST_ELEMENTS);
export const numbers: Codec<number[]> = array(wholeFrom(0), MOST_ELEMENTS);
export const texts: Codec<string[]> = array(text(), MOST_ELEMENTS);
export const setupCalls: Codec<SetupCall[]> = array(setupCall, MOST_ELEMENTS);
export { amount, boolean, text };
