import { boolean, listOf } from "../kinds/kinds.ts";
import { bigInteger, decimal, integer } from "../kinds/number-kinds.ts";
import { type AdminKey, live, NEVER_UNCHECKED, type Option, type Place, UNREAD } from "../kinds/option.ts";

/** A key of the admin API that no flag and no variable sets. */
export type AdminOnly<P extends readonly Place[] = readonly Place[]> = Pick<Option, "kind" | "default"> & {
  readonly to: P;
  readonly admin: AdminKey;
};

const number = decimal(0);
const wholes = listOf({ ...integer(0, Number.MAX_SAFE_INTEGER), json: { whole: { least: 0 } } });

const unread = (kind: Option["kind"], admin: AdminKey = {}): AdminOnly<readonly []> => ({
  kind,
  default: undefined,
  to: [],
  admin: { refused: UNREAD, ...admin },
});
const ofSvc = (kind: Option["kind"], value?: unknown): AdminOnly<readonly []> =>
  unread(kind, { only: "svc", default: value });

/** Where no default of a penalty is known, it is 0: no slashing for that offense. */
const PENALTY = 0n;

/** Keys of NodeAdminConfig (docs/protocol/05-rpc.md#535-admin-configuration) that are no options. */
export const ADMIN_ONLY = {
  perBlockDAAllocationMultiplier: ofSvc(number),
  redistributeCheckpointBudget: ofSvc(boolean),
  minBlockDuration: ofSvc(number),
  checkpointProposalPrepareTime: ofSvc(number),
  checkpointProposalSyncGraceSeconds: ofSvc(number),
  waitForBuildDeadlineOnFinalBlock: ofSvc(boolean),
  fakeProcessingDelayPerTxMs: unread(number),
  fakeThrowAfterProcessingTxCount: unread(number),
  skipCollectingAttestations: unread(boolean),
  skipInvalidateBlockAsProposer: unread(boolean),
  skipWaitForValidParentCheckpointOnL1: ofSvc(boolean),
  invalidBlockProposalIndexWithinCheckpoint: ofSvc(number),
  broadcastInvalidCheckpointProposalOnly: ofSvc(boolean),
  skipBroadcastProposals: ofSvc(boolean),
  skipBroadcastCheckpointProposal: ofSvc(boolean),
  pauseProposingForSlots: ofSvc(wholes),
  slashDataWithholdingToleranceSlots: ofSvc(number, 3),
  slashProposeDescendantOfCheckpointWithInvalidAttestationsPenalty: ofSvc(bigInteger, PENALTY),
  slashAttestInvalidCheckpointProposalPenalty: ofSvc(bigInteger, PENALTY),
  slashBroadcastedInvalidCheckpointProposalPenalty: ofSvc(bigInteger, PENALTY),
  skipProposalSlotValidation: { ...ofSvc(boolean), admin: { only: "svc", refused: NEVER_UNCHECKED } },
  maxGossipClockDisparityMs: ofSvc(number),
  skipIncomingProposals: { kind: boolean, default: undefined, to: [live("p2p.skipProposals")], admin: { only: "svc" } },
} as const satisfies Readonly<Record<string, AdminOnly>>;
