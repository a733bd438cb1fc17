import { toHex } from "../../../protocol/bytes.ts";
import { absent, type Codec, converted, object, rejected, ruled } from "../../codecs/json/codec.ts";
import { field, l2Address } from "../../codecs/json/field.ts";
import { named } from "../../codecs/json/json-schema.ts";
import { plainNumber } from "../../codecs/json/number.ts";
import { boolean } from "../../codecs/json/text.ts";

/** Wire form of a public call that is allowed during a tx's setup. Either `address` or `classId` is set. */
interface SetupCall {
  /** 0x text of 32 bytes. */
  address?: string;
  /** 0x text of 32 bytes. */
  classId?: string;
  /** 0x text of 4 bytes. */
  selector: string;
  onlySelf?: boolean;
  rejectNullMsgSender?: boolean;
  calldataLength?: number;
}

const selector: Codec<string> = {
  schema: named("FunctionSelectorInput", "A contract function's selector: 8 hex digits with or without 0x.", {
    type: "string",
    pattern: "^(0x)?[0-9a-fA-F]{8}$",
  }),
  read(value, path, issues) {
    const digits = typeof value === "string" ? /^(?:0x)?([0-9a-fA-F]{8})$/.exec(value)?.[1] : undefined;
    if (digits !== undefined) return `0x${digits.toLowerCase()}`;
    return rejected(issues, path, value === undefined ? "Required" : "Invalid input");
  },
};

/** Setup call as accepted by admin calls (docs/protocol/05-rpc.md#535-admin-configuration). */
export const setupCall: Codec<SetupCall> = ruled(
  object({
    address: absent(converted(l2Address, toHex)),
    classId: absent(converted(field, toHex)),
    selector,
    onlySelf: absent(boolean),
    rejectNullMsgSender: absent(boolean),
    calldataLength: absent(plainNumber({ least: 0 })),
  }),
  ({ address, classId }) =>
    (address === undefined) === (classId === undefined) ? "Exactly one of address and classId is needed" : undefined,
);
