import type { RollupIdentity } from "../../../l1/types.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, COUNT, record } from "../json/json-schema.ts";
import { DECIMAL, FIELD, L1_BLOCK_HASH, TIMESTAMP } from "../json/scalars.ts";

const CONSTANTS = {
  l1StartBlock: about(DECIMAL, "The L1 block in which the rollup was deployed."),
  l1GenesisTime: about(TIMESTAMP, "Start of slot 0."),
  slotDuration: about(COUNT, "Seconds of a slot."),
  epochDuration: about(COUNT, "Slots of an epoch."),
  ethereumSlotDuration: about(COUNT, "Seconds of an L1 slot."),
  proofSubmissionEpochs: about(COUNT, "Epochs after its own in which an epoch may be proven."),
  targetCommitteeSize: about(COUNT, "Members of a full committee; 0 where anyone may propose."),
  rollupManaLimit: about(COUNT, "Most L2 gas of a checkpoint."),
};
const L1_START = {
  l1StartBlockHash: about(L1_BLOCK_HASH, "Hash of that L1 block."),
  genesisArchiveRoot: about(FIELD, "Root of the archive after block 0."),
};

/** L1RollupConstants (docs/protocol/05-rpc.md#519-tips-and-synced-time). */
export function l1ConstantsEncoder({ showsL1Start }: { showsL1Start: boolean }): Encoder<RollupIdentity> {
  const members = showsL1Start ? { ...CONSTANTS, ...L1_START } : CONSTANTS;
  const schema = record("L1RollupConstants", "Constants of the rollup.", members);
  return encoder(schema, (out, { constants, l1StartBlockHash, genesisArchiveRoot }) => {
    out.text(`{"l1StartBlock":"${constants.l1StartBlock}","l1GenesisTime":"${constants.l1GenesisTime}"`);
    out.text(`,"slotDuration":${constants.slotDuration},"epochDuration":${constants.epochDuration}`);
    out.text(`,"ethereumSlotDuration":${constants.ethereumSlotDuration}`);
    out.text(`,"proofSubmissionEpochs":${constants.proofSubmissionEpochs}`);
    out.text(`,"targetCommitteeSize":${constants.targetCommitteeSize}`);
    out.text(`,"rollupManaLimit":${constants.rollupManaLimit}`);
    if (showsL1Start) {
      out.text(',"l1StartBlockHash":').word(l1StartBlockHash);
      out.text(',"genesisArchiveRoot":').word(genesisArchiveRoot);
    }
    out.text("}");
  });
}
