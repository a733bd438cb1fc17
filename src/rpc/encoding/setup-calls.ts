import type { AllowedSetupCall } from "../../protocol/tx/setup-allow-list.ts";
import { encodeBoolean, encodeHex, encodeNumber, type JsonWriter, MemberWriter } from "./json-writer.ts";

/** AllowedElement (sheet 02 section 4.9). */
export function encodeSetupCall(out: JsonWriter, call: AllowedSetupCall): void {
  new MemberWriter(out)
    .add("address", "address" in call ? call.address : undefined, encodeHex)
    .add("classId", "classId" in call ? call.classId : undefined, encodeHex)
    .add("selector", call.selector, encodeHex)
    .add("calldataLength", call.calldataLength, encodeNumber)
    .add("onlySelf", call.onlySelf, encodeBoolean)
    .add("rejectNullMsgSender", call.rejectNullMsgSender, encodeBoolean)
    .end();
}
