import type { ValidateAttestations } from "../../archiver/attestation-verdict.ts";
import { validateAttestations } from "../../l1/committee/validate-attestations.ts";
import type { RollupReader } from "../../l1/types.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { epochOfSlot } from "../../protocol/time.ts";

/** Checks a proposal's attestations against its epoch's committee on L1. */
export function attestationValidator(reader: RollupReader): ValidateAttestations {
  return async (checkpoint) => {
    const epoch = epochOfSlot(checkpointSlot(checkpoint.header), reader.identity.constants);
    const committee = await reader.committee(epoch);
    return validateAttestations(checkpoint, committee, await signerRecovery());
  };
}
