import type { L1Constants } from "../../../protocol/time.ts";
import { encoder } from "../json/encoder.ts";
import { about, COUNT, record } from "../json/json-schema.ts";
import { DECIMAL, TIMESTAMP } from "../json/scalars.ts";

const CONSTANTS = record("L1RollupConstants", "Constants of the rollup.", {
  l1StartBlock: about(DECIMAL, "The L1 block in which the rollup was deployed."),
  l1GenesisTime: about(TIMESTAMP, "Start of slot 0."),
  slotDuration: about(COUNT, "Seconds of a slot."),
  epochDuration: about(COUNT, "Slots of an epoch."),
  ethereumSlotDuration: about(COUNT, "Seconds of an L1 slot."),
  proofSubmissionEpochs: about(COUNT, "Epochs after its own in which an epoch may be proven."),
  targetCommitteeSize: about(COUNT, "Members of a full committee; 0 where anyone may propose."),
  rollupManaLimit: about(COUNT, "Most L2 gas of a checkpoint."),
});

/** L1RollupConstants (docs/protocol/05-rpc.md#519-tips-and-synced-time). */
export const encodeL1Constants = encoder<L1Constants>(CONSTANTS, (out, constants) => {
  out.text(`{"l1StartBlock":"${constants.l1StartBlock}","l1GenesisTime":"${constants.l1GenesisTime}"`);
  out.text(`,"slotDuration":${constants.slotDuration},"epochDuration":${constants.epochDuration}`);
  out.text(`,"ethereumSlotDuration":${constants.ethereumSlotDuration}`);
  out.text(`,"proofSubmissionEpochs":${constants.proofSubmissionEpochs}`);
  out.text(`,"targetCommitteeSize":${constants.targetCommitteeSize}`);
  out.text(`,"rollupManaLimit":${constants.rollupManaLimit}}`);
});
