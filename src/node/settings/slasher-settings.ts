import type { Values } from "../../config/options.ts";
import type { SlasherSettings } from "../../slasher/settings.ts";

export type SlasherOptionValues = Pick<
  Values,
  | "slashAttestDescendantOfInvalidPenalty"
  | "slashBroadcastedInvalidBlockPenalty"
  | "slashDataWithholdingPenalty"
  | "slashDuplicateAttestationPenalty"
  | "slashDuplicateProposalPenalty"
  | "slashExecuteRoundsLookBack"
  | "slashGracePeriodL2Slots"
  | "slashMaxPayloadSize"
  | "slashMaxPenaltyPercentage"
  | "slashMinPenaltyPercentage"
  | "slashOffenseExpirationRounds"
  | "slashOverridePayload"
  | "slashProposeInvalidAttestationsPenalty"
  | "slashPrunePenalty"
  | "slashSelfAllowed"
  | "slashUnknownPenalty"
  | "slashValidatorsAlways"
  | "slashValidatorsNever"
>;

export const lowerCase = (addresses: readonly string[]): string[] => addresses.map((address) => address.toLowerCase());

/** The slasher's settings as the options give them. */
export function slasherSettings(values: SlasherOptionValues): SlasherSettings {
  return {
    overridePayload: values.slashOverridePayload?.toLowerCase(),
    minPenaltyPercentage: values.slashMinPenaltyPercentage,
    maxPenaltyPercentage: values.slashMaxPenaltyPercentage,
    validatorsAlways: lowerCase(values.slashValidatorsAlways),
    validatorsNever: lowerCase(values.slashValidatorsNever),
    prunePenalty: values.slashPrunePenalty,
    dataWithholdingPenalty: values.slashDataWithholdingPenalty,
    broadcastedInvalidBlockPenalty: values.slashBroadcastedInvalidBlockPenalty,
    duplicateProposalPenalty: values.slashDuplicateProposalPenalty,
    duplicateAttestationPenalty: values.slashDuplicateAttestationPenalty,
    proposeInvalidAttestationsPenalty: values.slashProposeInvalidAttestationsPenalty,
    attestDescendantOfInvalidPenalty: values.slashAttestDescendantOfInvalidPenalty,
    unknownPenalty: values.slashUnknownPenalty,
    offenseExpirationRounds: values.slashOffenseExpirationRounds,
    maxPayloadSize: values.slashMaxPayloadSize,
    gracePeriodL2Slots: values.slashGracePeriodL2Slots,
    executeRoundsLookBack: values.slashExecuteRoundsLookBack,
    selfAllowed: values.slashSelfAllowed,
  };
}
