import type { L1Constants } from "../../../protocol/time.ts";
import type { JsonWriter } from "../json-writer.ts";

/** L1RollupConstants (sheet 03 section 4.12). */
export function encodeL1Constants(out: JsonWriter, constants: L1Constants): void {
  out.text(`{"l1StartBlock":"${constants.l1StartBlock}","l1GenesisTime":"${constants.l1GenesisTime}"`);
  out.text(`,"slotDuration":${constants.slotDuration},"epochDuration":${constants.epochDuration}`);
  out.text(`,"ethereumSlotDuration":${constants.ethereumSlotDuration}`);
  out.text(`,"proofSubmissionEpochs":${constants.proofSubmissionEpochs}`);
  out.text(`,"targetCommitteeSize":${constants.targetCommitteeSize}`);
  out.text(`,"rollupManaLimit":${constants.rollupManaLimit}}`);
}
