import { join } from "node:path";
import type { Values } from "../../config/options.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { Account } from "../../keystore/accounts.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import { GovernanceProposer } from "../../l1/governance/governance-proposer.ts";
import { wantsCellProofs } from "../../l1/propose/sidecars.ts";
import type { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { L1Sender } from "../../l1/tx/l1-sender.ts";
import { MemoryTxStates } from "../../l1/tx/memory-tx-states.ts";
import { countL1Txs } from "../../l1/tx/metrics.ts";
import type { L1TxSettings } from "../../l1/tx/settings.ts";
import { L1TxStore, type TxStates } from "../../l1/tx/tx-store.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { SlashActions } from "../../protocol/slashing/action.ts";
import { Publisher } from "../../sequencer/publisher/publisher.ts";
import { GovernanceSignals, type VoteSigner } from "../../sequencer/votes/governance-signals.ts";
import { SlashVotes } from "../../sequencer/votes/slash-votes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { type BlobUploadSettings, blobUploads } from "../chain/blob-uploads.ts";
import { accountSigner } from "../keys/account-signer.ts";

export type PublisherSettings = BlobUploadSettings &
  L1TxValues &
  Pick<
    Values,
    | "ethereumHttpTimeoutMs"
    | "l1RpcUrls"
    | "sequencerPublisherAllowInvalidStates"
    | "sequencerPublisherForwarderAddress"
  >;

export interface PublisherOptions {
  values: PublisherSettings;
  directory: { path: string; temporary: boolean };
  identity: RollupIdentity;
  keys: ActiveKeystore;
  kzg: Pick<Kzg, "load" | "prove">;
  votes: VoteSigner;
  /** Undefined for a node without a slasher. */
  slasher?: SlashActions;
  /** Unix time in milliseconds. */
  now(): number;
  metrics: Metrics;
  /** Counts the calls to L1. */
  l1Calls?: L1CallCounts;
  endpoints?: EndpointBook;
  logger: Logger;
}

export interface RunningPublisher {
  readonly publisher: Publisher;
  readonly senders: readonly L1Sender[];
  readonly rpc: L1Rpc;
  /** Governance signals of proposers whose keys this node has. */
  readonly signals: GovernanceSignals;
  /** Votes about offenses; undefined without a slasher. */
  readonly slashVotes: SlashVotes | undefined;
  stop(): Promise<void>;
}

/** A call is retried only once, since the next poll asks L1 again. */
export const PUBLISHER_RETRY_DELAYS_MS = [200];
const TIMEOUT_MS = 10_000;

/** Limit of one request to L1 of a part whose duties end with a slot. */
export function dutyTimeoutMs({ ethereumHttpTimeoutMs }: Pick<Values, "ethereumHttpTimeoutMs">): number {
  return ethereumHttpTimeoutMs ?? TIMEOUT_MS;
}

export type L1TxValues = Pick<
  Values,
  | "l1TxCancelOnTimeout"
  | "l1TxCancellationFinalTimeoutMs"
  | "l1TxCheckIntervalMs"
  | "l1TxGasLimitBufferPercentage"
  | "l1TxMaxBlobGwei"
  | "l1TxMaxGwei"
  | "l1TxMaxSpeedUpAttempts"
  | "l1TxMinimumPriorityFeeGwei"
  | "l1TxPriorityFeeBumpPercentage"
  | "l1TxPriorityFeeRetryBumpPercentage"
  | "l1TxStallTimeMs"
  | "l1TxTimeoutMs"
  | "l1TxUnseenConsideredDroppedMs"
>;

export function l1TxSettings(values: L1TxValues): L1TxSettings {
  return {
    gasLimitBufferPercentage: values.l1TxGasLimitBufferPercentage,
    maxGwei: values.l1TxMaxGwei,
    maxBlobGwei: values.l1TxMaxBlobGwei,
    priorityFeeBumpPercentage: values.l1TxPriorityFeeBumpPercentage,
    priorityFeeRetryBumpPercentage: values.l1TxPriorityFeeRetryBumpPercentage,
    minimumPriorityFeeGwei: values.l1TxMinimumPriorityFeeGwei,
    maxSpeedUpAttempts: values.l1TxMaxSpeedUpAttempts,
    checkIntervalMs: values.l1TxCheckIntervalMs,
    stallTimeMs: values.l1TxStallTimeMs,
    timeoutMs: values.l1TxTimeoutMs,
    cancelOnTimeout: values.l1TxCancelOnTimeout,
    cancellationFinalTimeoutMs: values.l1TxCancellationFinalTimeoutMs,
    unseenConsideredDroppedMs: values.l1TxUnseenConsideredDroppedMs,
  };
}

/** The publisher accounts at start, without duplicates. A later keystore reload does not change them. */
function publisherAccounts({ current }: ActiveKeystore): Account[] {
  const accounts = current.attesterAddresses().flatMap((attester) => current.publishersOf(attester));
  return [...new Map(accounts.map((account) => [account.address, account])).values()];
}

/** Starts the publisher, which sends checkpoints to L1 and stores sent transactions on disk. Throws L1TxStoreError. */
export function startPublisher(options: PublisherOptions): RunningPublisher {
  const { values, directory, identity, keys, kzg, now, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const rpc = new L1Rpc({
    urls: values.l1RpcUrls,
    timeoutMs: dutyTimeoutMs(values),
    retryDelaysMs: PUBLISHER_RETRY_DELAYS_MS,
    signal,
    calls: options.l1Calls,
    endpoints: options.endpoints,
    logger,
  });
  const states: TxStates = directory.temporary
    ? new MemoryTxStates()
    : new L1TxStore(join(directory.path, "l1-tx-utils"));
  const settings = l1TxSettings(values);
  const { l1ChainId: chainId } = identity;
  const cellProofs = wantsCellProofs(chainId);
  const senders = publisherAccounts(keys).map(
    (account) =>
      new L1Sender({
        ...{ rpc, chainId, settings, states, cellProofs, now, signal, logger },
        signer: accountSigner(account, options.endpoints),
        finished: countL1Txs(options.metrics, account.address, "sequencer"),
      }),
  );
  const uploads = blobUploads(values, identity, logger);
  const publisher = new Publisher({
    rpc,
    identity,
    senders,
    publishersOf: (attester) => keys.current.publishersOf(attester).map(({ address }) => address),
    settings,
    allowBusy: values.sequencerPublisherAllowInvalidStates,
    forwarder: values.sequencerPublisherForwarderAddress,
    kzg,
    uploads,
    now,
    signal,
    logger,
  });
  const signals = new GovernanceSignals({
    contract: new GovernanceProposer(rpc, identity),
    signer: options.votes,
    logger,
  });
  const { slasher } = options;
  const slashVotes = slasher && new SlashVotes({ rpc, identity, settings, slasher, signer: options.votes, logger });
  return {
    publisher,
    senders,
    rpc,
    signals,
    slashVotes,
    async stop() {
      stopping.abort();
      await Promise.all(senders.map((sender) => sender.settled()));
      await uploads?.close();
      await states.close();
    },
  };
}
