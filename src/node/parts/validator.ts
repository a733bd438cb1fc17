import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import type { CheckpointLimits } from "../../checkpoints/checkpoint-terms.ts";
import { CheckpointProposalCheck } from "../../checkpoints/proposals/checkpoint-proposal-check.ts";
import type { ProposalVerdict } from "../../checkpoints/proposals/proposal-verdict.ts";
import { ConfigurationError } from "../../config/errors.ts";
import type { Values } from "../../config/options.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { kzgPart } from "../../l1/propose/sidecars.ts";
import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import type { Equivocations } from "../../mempool/attestations/equivocations.ts";
import type { GossipPublisher } from "../../p2p/gossip/publisher.ts";
import { type BlockProposal, blockProposalSlot } from "../../protocol/consensus/block-proposal.ts";
import type { CheckpointProposal } from "../../protocol/consensus/checkpoint-proposal.ts";
import type { RecoverSigner } from "../../protocol/consensus/recover.ts";
import type { WireSignature } from "../../protocol/consensus/wire-signature.ts";
import type { ReportOffenses } from "../../protocol/slashing/offense.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import { ChallengeSigner } from "../../validator/challenge-signer.ts";
import { CheckpointAttester } from "../../validator/checkpoint-attester.ts";
import { CommitteeAttestations } from "../../validator/committee-attestations.ts";
import { collectionRecord, countAttestedEpochs, observeValidator } from "../../validator/metrics.ts";
import { type OffensePenalties, OffenseReports } from "../../validator/offense-reports.ts";
import { OwnAttestations } from "../../validator/own-attestations.ts";
import { OwnProposals } from "../../validator/own-proposals.ts";
import type { ValidatorSettings } from "../../validator/settings.ts";
import { type BlobUploadSettings, blobUploads } from "../chain/blob-uploads.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { AttesterSigning } from "../keys/duty-signer.ts";
import type { ConfigurablePart } from "../services/live-config.ts";

export type ValidatorPartSettings = BlobUploadSettings &
  Pick<
    Values,
    | "attestationPollingIntervalMs"
    | "disabledValidators"
    | "fishermanMode"
    | "publishTxsWithProposals"
    | "validateMaxDABlockGas"
    | "validateMaxL2BlockGas"
    | "validateMaxTxsPerBlock"
    | "validateMaxTxsPerCheckpoint"
    | "validatorReexecute"
  >;

/** What a validator needs of the node's peers. */
export interface CommitteeNetwork {
  pool: AttestationPool;
  committees: SlotCommittees;
  publisher: GossipPublisher;
  recover: RecoverSigner;
  equivocations: Equivocations;
}

export interface ValidatorOptions {
  values: ValidatorPartSettings;
  /** The keys in force now; undefined for an observer without keys. */
  keys: (() => Keystore) | undefined;
  kzg: Kzg;
  signing: AttesterSigning;
  /** The binary form of a tx of the pool. */
  txBytes(hash: Uint8Array): Uint8Array | undefined;
  /** Where offenses are reported; undefined without a slasher. */
  offenses: { report: ReportOffenses; penalties: Readonly<OffensePenalties> } | undefined;
  dutyTimes: Pick<DutyTimes, "done" | "missed">;
}

export interface ValidatorPart {
  /** For the sequencer. */
  readonly collector: CommitteeAttestations;
  readonly live: ConfigurablePart<ValidatorSettings>;
  /** Whether the validator wants the blocks of a slot to be executed. */
  reexecutes(slot: number): Promise<boolean>;
  /** Called with each block proposal of another node once it was checked. */
  blockChecked(proposal: BlockProposal, verdict: ProposalVerdict): void;
  /** Takes a checkpoint proposal that gossip accepted, once its last block was processed. */
  processCheckpoint(proposal: CheckpointProposal, from: string, arrived: number): Promise<void>;
  /** Signs an authentication challenge with the first registered attester; undefined if there is none. */
  signChallenge(payloadHash: Uint8Array): Promise<WireSignature | undefined>;
  stop(): Promise<void>;
}

/** Throws a ConfigurationError for settings that exclude each other. */
export function checkValidator(values: Pick<Values, "fishermanMode" | "p2pEnabled" | "sequencer">): void {
  if (!values.fishermanMode) return;
  if (values.sequencer)
    throw new ConfigurationError("FISHERMAN_MODE cannot be combined with --sequencer: it publishes");
  if (!values.p2pEnabled) throw new ConfigurationError("FISHERMAN_MODE needs P2P_ENABLED: proposals come from peers");
}

/** Whether the options ask for a validator. */
export function hasValidator(
  values: Pick<Values, "disableValidator" | "fishermanMode" | "p2pEnabled" | "sequencer">,
): boolean {
  return values.p2pEnabled && (values.fishermanMode || (values.sequencer && !values.disableValidator));
}

function liveSettings(values: ValidatorPartSettings): ValidatorSettings {
  return {
    pollingIntervalMs: values.attestationPollingIntervalMs,
    disabled: values.disabledValidators.map((address) => address.toLowerCase()),
    reexecutes: values.validatorReexecute,
    sendsTxs: values.publishTxsWithProposals,
  };
}

/** Creates the duties of the node's attesters. Throws an ObjectStoreUrlError. */
export function createValidator(
  { core, chain, reader, synchronizer, clock, metrics, loggerFor }: ChainContext,
  { values, keys, kzg, signing, txBytes, offenses, dutyTimes }: ValidatorOptions,
  { pool, committees, publisher, recover, equivocations }: CommitteeNetwork,
): ValidatorPart {
  const { constants } = reader.identity;
  const { now } = clock;
  const logger = loggerFor("validator");
  const live = liveSettings(values);
  const observer = values.fishermanMode;
  const ownAddresses = () => keys?.().attesterAddresses() ?? [];
  const { signerOf, duties: signer } = signing;
  const attestations = new OwnAttestations({
    committees,
    attesters: () => ownAddresses().filter((address) => !live.disabled.includes(address)),
    signer,
    pool,
    publisher,
    dutyTimes,
    attested: countAttestedEpochs(metrics, constants),
    logger,
  });
  const check = new CheckpointProposalCheck({
    core,
    kzg,
    chain,
    constants,
    limits: validatorLimits(values, constants.rollupManaLimit),
    sync: {
      poke: () => synchronizer.poke(),
      onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
    },
    messages: (number) => messagesOfCheckpoint(chain.messages, number),
    recover,
    now,
  });
  const uploads = blobUploads(values, reader.identity, logger);
  const attester = new CheckpointAttester({
    ...{ check, attestations, committees, ownAddresses, observer, uploads },
    ...{ times: constants, recover, dutyTimes, now, logger },
  });
  observeValidator(metrics, { attester, constants, now });
  const collector = new CommitteeAttestations({
    proposals: new OwnProposals({
      ...{ signer, pool, publisher, settings: live, txBytes, dutyTimes },
      signTxs: (proposer, digest, signal) => {
        const own = signerOf(proposer);
        return own ? own.signMessage(digest, signal) : Promise.reject(new Error(`no key of ${proposer}`));
      },
    }),
    ...{ attestations, pool, signer, settings: live, dutyTimes, now, logger },
    record: collectionRecord(metrics),
  });
  const challenges = new ChallengeSigner({ ownAddresses, signerOf, registered: () => reader.attesters(), now });
  const reports = offenses && new OffenseReports(offenses.report, offenses.penalties);
  const unsubscribe = reports && [
    equivocations.proposals.add((duplicate) => reports.duplicateProposal(duplicate)),
    equivocations.attestations.add((duplicate) => reports.duplicateAttestation(duplicate)),
  ];
  // Loaded now, so that the first checkpoint does not wait.
  kzg.load(kzgPart(reader.identity.l1ChainId));
  logger.info(
    { attesters: ownAddresses(), observer },
    observer ? "observing proposals, without signing" : "validating with {attesters}",
  );
  return {
    collector,
    live: { configure: (changes) => void Object.assign(live, changes) },
    async reexecutes(slot) {
      if (observer || uploads !== undefined) return true;
      if (!live.reexecutes) return false;
      return (
        (offenses?.penalties.broadcastedInvalidBlockPenalty ?? 0n) > 0n || (await attestations.members(slot)).length > 0
      );
    },
    blockChecked(proposal, verdict) {
      reports?.blockChecked(proposal, verdict);
      if (verdict.valid && verdict.block !== undefined) void attester.prepare(blockProposalSlot(proposal));
    },
    async processCheckpoint(proposal, from, arrived) {
      await attester.handle(proposal, from, arrived);
    },
    signChallenge: (payloadHash) => challenges.sign(payloadHash),
    async stop() {
      check.stop();
      for (const each of unsubscribe ?? []) each();
      await uploads?.close();
    },
  };
}

/** The validator's own limits; never those of the sequencer. */
export function validatorLimits(
  values: Pick<
    Values,
    "validateMaxDABlockGas" | "validateMaxL2BlockGas" | "validateMaxTxsPerBlock" | "validateMaxTxsPerCheckpoint"
  >,
  rollupManaLimit: number,
): CheckpointLimits {
  return {
    rollupManaLimit,
    maxTxsPerCheckpoint: values.validateMaxTxsPerCheckpoint,
    maxL2BlockGas: values.validateMaxL2BlockGas,
    maxDaBlockGas: values.validateMaxDABlockGas,
    maxTxsPerBlock: values.validateMaxTxsPerBlock,
  };
}
