import type { InvalidProposal } from "../../archiver/tables/invalid-proposal.ts";
import { proposerIndex } from "../../l1/committee/sampling.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { isEmptySignature } from "../../protocol/consensus/recover.ts";
import { OFFENSE_TYPES, type Offense, type ReportOffenses } from "../../protocol/slashing/offense.ts";
import { dropOldest } from "../../storage/drop-oldest.ts";
import type { SlasherSettings } from "../offenses/settings.ts";

/** Invalid checkpoints whose archives are remembered. */
const REMEMBERED = 100;

type Penalties = Pick<SlasherSettings, "proposeInvalidAttestationsPenalty" | "attestDescendantOfInvalidPenalty">;

/**
 * Accuses the proposers of checkpoints with invalid attestations, and those who attested to a checkpoint on top of such
 * a one (docs/protocol/12-slashing.md#124-invalid-attestations). Returns a listener for the synchronizer.
 */
export function watchInvalidAttestations(
  settings: Readonly<Penalties>,
  report: ReportOffenses,
): (proposal: InvalidProposal) => void {
  const archives = new Set<string>();
  return (proposal) => {
    const { proposeInvalidAttestationsPenalty: proposing, attestDescendantOfInvalidPenalty: attesting } = settings;
    if (proposing === 0n && attesting === 0n) return;
    const archive = toHex(proposal.archiveRoot);
    if (archives.has(archive)) return;
    const descends = archives.has(toHex(proposal.lastArchiveRoot));
    archives.add(archive);
    dropOldest(archives, REMEMBERED);
    const epochOrSlot = BigInt(proposal.slotNumber);
    const attesters = descends ? signersOf(proposal) : [];
    report([
      ...proposerOffense(proposal, proposing),
      ...attesters.map((validator): Offense => {
        const offenseType = OFFENSE_TYPES.attestedDescendantOfInvalid;
        return { validator, amount: attesting, offenseType, epochOrSlot };
      }),
    ]);
  };
}

function proposerOffense({ reason, epoch, slotNumber, seed, committee }: InvalidProposal, amount: bigint): Offense[] {
  const index = proposerIndex(epoch, slotNumber, seed, committee.length);
  if (index === undefined) return [];
  const offenseType =
    reason === "insufficient-attestations"
      ? OFFENSE_TYPES.proposedInsufficientAttestations
      : OFFENSE_TYPES.proposedIncorrectAttestations;
  return [{ validator: committee[index], amount, offenseType, epochOrSlot: BigInt(slotNumber) }];
}

/** Committee members that signed, without those of whom only the address was posted. */
function signersOf({ committee, attestors, attestations }: InvalidProposal): Uint8Array[] {
  const posted = attestations
    .filter(({ signature }) => signature === undefined || isEmptySignature(signature))
    .map(({ address }) => address);
  const among = (list: readonly Uint8Array[], member: Uint8Array) => list.some((one) => equal(one, member));
  return committee.filter((member) => among(attestors, member) && !among(posted, member));
}
