import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import { CheckpointProposalCheck } from "../../checkpoints/proposals/checkpoint-proposal-check.ts";
import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { kzgPart } from "../../l1/propose/sidecars.ts";
import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import type { Equivocations } from "../../mempool/attestations/equivocations.ts";
import type { GossipPublisher } from "../../p2p/gossip/publisher.ts";
import type { ConsensusEvents } from "../../p2p/proposals/consensus-events.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../../protocol/consensus/recover.ts";
import type { ReportOffenses } from "../../protocol/slashing/offense.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import { ChallengeSigner } from "../../validator/challenge-signer.ts";
import { CheckpointAttester } from "../../validator/checkpoint-attester.ts";
import { CommitteeAttestations } from "../../validator/committee-attestations.ts";
import { CommitteeDuties } from "../../validator/committee-duties.ts";
import { collectionRecord, countAttestedEpochs, observeValidator } from "../../validator/metrics.ts";
import { type OffensePenalties, OffenseReports } from "../../validator/offense-reports.ts";
import { OwnAttestations } from "../../validator/own-attestations.ts";
import { OwnProposals } from "../../validator/own-proposals.ts";
import type { ValidatorSettings } from "../../validator/settings.ts";
import { blobUploads } from "../chain/blob-uploads.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { AttesterSigning } from "../keys/signers.ts";
import type { ConfigurablePart } from "../services/live-config.ts";
import { validatorLimits } from "../settings/validator-limits.ts";

/** What P2P offers to a validator beside it. */
export interface CommitteeNetwork {
  pool: AttestationPool;
  committees: SlotCommittees;
  publisher: GossipPublisher;
  rollup: MessageRollup;
  recover: RecoverSigner;
  equivocations: Equivocations;
  events: ConsensusEvents;
}

interface ValidatorOptions {
  values: PartValues;
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
  stop(): Promise<void>;
}

/** Throws a ConfigurationError for settings that exclude each other. */
export function checkValidator(values: PartValues): void {
  if (!values.validator.observes) return;
  if (values.modes.sequencer)
    throw new ConfigurationError("FISHERMAN_MODE cannot be combined with --sequencer: it publishes");
  if (!values.p2p.enabled) throw new ConfigurationError("FISHERMAN_MODE needs P2P_ENABLED: proposals come from peers");
}

/** Whether the options ask for a validator. */
export function hasValidator(values: PartValues): boolean {
  return values.p2p.enabled && (values.validator.observes || (values.modes.sequencer && !values.validator.off));
}

/** Takes up the duties of the node's attesters. Throws an ObjectStoreUrlError. */
export function startValidator(
  context: ChainContext,
  options: ValidatorOptions,
  network: CommitteeNetwork,
): ValidatorPart {
  const { reader, clock, metrics, loggerFor } = context;
  const { values, keys, kzg, signing, offenses, dutyTimes } = options;
  const { pool, committees, publisher, rollup, recover } = network;
  const { constants } = reader.identity;
  const { now } = clock;
  const logger = loggerFor("validator");
  const settings: ValidatorSettings = { ...values.validator };
  const observer = values.validator.observes;
  const ownAddresses = () => keys?.().attesterAddresses() ?? [];
  const { signerOf, duties: signer } = signing;
  const attestations = new OwnAttestations({
    ...{ committees, signer, pool, publisher, rollup, dutyTimes, logger },
    attesters: () => ownAddresses().filter((address) => !settings.disabled.includes(address)),
    attested: countAttestedEpochs(metrics, constants),
  });
  const check = checkpointCheck(context, options, network);
  const uploads = blobUploads(values, reader.identity, logger);
  const attester = new CheckpointAttester({
    ...{ check, attestations, committees, ownAddresses, observer, uploads },
    ...{ times: constants, rollup, recover, dutyTimes, now, logger },
  });
  observeValidator(metrics, { attester, constants, now });
  const collector = new CommitteeAttestations({
    proposals: ownProposals(options, network, settings),
    ...{ attestations, pool, signer, settings, rollup, dutyTimes, now, logger },
    record: collectionRecord(metrics),
  });
  const duties = new CommitteeDuties({
    ...{ attester, attestations, settings },
    challenges: new ChallengeSigner({ ownAddresses, signerOf, registered: () => reader.attesters(), now }),
    reports: offenses && new OffenseReports(offenses.report, offenses.penalties, recover, rollup),
    executesAll: observer || uploads !== undefined,
  });
  const unlisten = duties.listen(network.events, network.equivocations);
  // Loaded now, so that the first checkpoint does not wait.
  kzg.load(kzgPart(reader.identity.l1ChainId));
  logger.info(
    { attesters: ownAddresses(), observer },
    observer ? "observing proposals, without signing" : "validating with {attesters}",
  );
  return {
    collector,
    live: { configure: (changes) => void Object.assign(settings, changes) },
    async stop() {
      check.stop();
      unlisten();
      await uploads?.close();
    },
  };
}

function checkpointCheck(
  { core, chain, reader, synchronizer, clock }: ChainContext,
  { values, kzg }: ValidatorOptions,
  { rollup, recover }: CommitteeNetwork,
): CheckpointProposalCheck {
  const { constants } = reader.identity;
  return new CheckpointProposalCheck({
    ...{ core, generation: chain.generation, kzg, chain, constants, rollup, recover, now: clock.now },
    limits: validatorLimits(values.validator.limits, constants.rollupManaLimit),
    sync: {
      poke: () => synchronizer.poke(),
      onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
    },
    messages: (number) => messagesOfCheckpoint(chain.messages, number),
  });
}

function ownProposals(
  { signing: { signerOf, duties: signer }, txBytes, dutyTimes }: ValidatorOptions,
  { pool, publisher, rollup }: CommitteeNetwork,
  settings: ValidatorSettings,
): OwnProposals {
  return new OwnProposals({
    ...{ signer, pool, publisher, rollup, settings, txBytes, dutyTimes },
    signTxs: (proposer, digest, signal) => {
      const own = signerOf(proposer);
      return own ? own.signMessage(digest, signal) : Promise.reject(new Error(`no key of ${proposer}`));
    },
  });
}
