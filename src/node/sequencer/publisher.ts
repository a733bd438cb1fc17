import { join } from "node:path";
import type { PartValues } from "../../config/part-values.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { Account } from "../../keystore/accounts.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import { GovernanceProposer } from "../../l1/governance/governance-proposer.ts";
import { wantsCellProofs } from "../../l1/propose/sidecars.ts";
import type { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import type { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { L1Sender } from "../../l1/tx/l1-sender.ts";
import { MemoryTxStates } from "../../l1/tx/memory-tx-states.ts";
import { countL1Txs } from "../../l1/tx/metrics.ts";
import { L1TxStore, type TxStates } from "../../l1/tx/tx-store.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import type { SlashActions } from "../../protocol/slashing/action.ts";
import { Publisher } from "../../sequencer/publisher/publisher.ts";
import { GovernanceSignals, type VoteSigner } from "../../sequencer/votes/governance-signals.ts";
import { SlashVotes } from "../../sequencer/votes/slash-votes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { blobUploads } from "../chain/blob-uploads.ts";
import { dutyRpc } from "../chain/duty-rpc.ts";
import { accountSigner } from "../keys/signers.ts";

export interface PublisherOptions {
  values: PartValues;
  directory: { path: string; temporary: boolean };
  identity: RollupIdentity;
  generation: Generation;
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

/** The publisher accounts at start, without duplicates. A later keystore reload does not change them. */
function publisherAccounts({ current }: ActiveKeystore): Account[] {
  const accounts = current.attesterAddresses().flatMap((attester) => current.publishersOf(attester));
  return [...new Map(accounts.map((account) => [account.address, account])).values()];
}

/** Starts the publisher, which sends checkpoints to L1 and stores sent transactions on disk. Throws L1TxStoreError. */
export function startPublisher(options: PublisherOptions): RunningPublisher {
  const { values, directory, identity, generation, keys, kzg, now, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { l1Calls: calls, endpoints } = options;
  const { l1ChainId: chainId } = identity;
  const rpc = dutyRpc({ values: values.l1, chainId, signal, calls, endpoints, logger });
  const states: TxStates = directory.temporary
    ? new MemoryTxStates()
    : new L1TxStore(join(directory.path, "l1-tx-utils"));
  const settings = values.l1Txs;
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
    generation,
    senders,
    publishersOf: (attester) => keys.current.publishersOf(attester).map(({ address }) => address),
    settings,
    allowBusy: values.publisher.allowBusy,
    forwarder: values.publisher.forwarder,
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
  const slashVotes =
    slasher && new SlashVotes({ rpc, identity, generation, settings, slasher, signer: options.votes, logger });
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
