import type { AllowedSetupCall } from "../../../protocol/generations/transactions.ts";
import { encoder } from "../json/encoder.ts";
import { about, BOOLEAN, COUNT, record } from "../json/json-schema.ts";
import { MemberWriter } from "../json/member-writer.ts";
import { FIELD, L2_ADDRESS, SELECTOR } from "../json/scalars.ts";
import { writeBoolean, writeHex, writeNumber } from "../json/write-values.ts";

const SETUP_CALL = record(
  "AllowedElement",
  "A public function that a transaction may call during setup: of one contract, or of all contracts of a class.",
  { selector: SELECTOR },
  {
    address: about(L2_ADDRESS, "The contract; absent for a class."),
    classId: about(FIELD, "Id of the class; absent for a contract."),
    calldataLength: about(COUNT, "How many fields its calldata have to have, the selector included."),
    onlySelf: about(BOOLEAN, "Whether only the contract itself may call it."),
    rejectNullMsgSender: about(BOOLEAN, "Whether a call without sender is refused."),
  },
);

/** AllowedElement (docs/protocol/05-rpc.md#533-aids-for-development). */
export const encodeSetupCall = encoder<AllowedSetupCall>(SETUP_CALL, (out, call) => {
  new MemberWriter(out)
    .add("address", "address" in call ? call.address : undefined, writeHex)
    .add("classId", "classId" in call ? call.classId : undefined, writeHex)
    .add("selector", call.selector, writeHex)
    .add("calldataLength", call.calldataLength, writeNumber)
    .add("onlySelf", call.onlySelf, writeBoolean)
    .add("rejectNullMsgSender", call.rejectNullMsgSender, writeBoolean)
    .end();
});
