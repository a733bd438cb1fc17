import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import type { BlobUploadStore } from "../../../src/l1/blobs/source.ts";
import type { L1Logger } from "../../../src/l1/logger.ts";
import { wantsCellProofs } from "../../../src/l1/propose/sidecars.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { L1Sender } from "../../../src/l1/tx/l1-sender.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { MemoryTxStates } from "../../../src/l1/tx/memory-tx-states.ts";
import { RemoteSigner } from "../../../src/l1/tx/remote-signer.ts";
import type { L1TxSettings } from "../../../src/l1/tx/settings.ts";
import type { L1Signer } from "../../../src/l1/tx/signer.ts";
import { L1TxStore } from "../../../src/l1/tx/tx-store.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { Publisher } from "../../../src/sequencer/publisher/publisher.ts";
import type { Account } from "../../../src/validator/keystore/accounts.ts";

export interface PublisherOptions {
  l1RpcUrls: readonly string[];
  identity: Pick<RollupIdentity, "l1ChainId" | "addresses" | "constants">;
  /** Accounts that publish; one that is named twice sends once. */
  accounts: readonly Account[];
  /** Accounts (lower-case 0x text) that may publish for an attester now. */
  publishersOf(attester: string): readonly string[];
  settings: L1TxSettings;
  /** sequencerPublisherAllowInvalidStates. */
  allowBusy: boolean;
  /** sequencerPublisherForwarderAddress. */
  forwarder?: string;
  /** Folder of the store of sent transactions; without one they are forgotten with the process. */
  txStorePath?: string;
  kzg: Pick<Kzg, "prove" | "start">;
  upload?: BlobUploadStore;
  /** Unix milliseconds. */
  now(): number;
  logger: L1Logger;
  /** Per request to L1. */
  timeoutMs?: number;
}

export interface OpenPublisher {
  publisher: Publisher;
  /** Ends every wait, closes the store. What is under way on L1 is watched by the next run. */
  close(): Promise<void>;
}

/** L1 is asked often: what fails is asked again at the next look, so that a call itself is repeated once only. */
const RETRY_DELAYS_MS = [200];
const TIMEOUT_MS = 10_000;

function signerOf(account: Account): L1Signer {
  return account.kind === "local"
    ? new LocalSigner(account.key.reveal())
    : new RemoteSigner(account.signer.url, account.address);
}

/** A publisher with its accounts, which at once goes on watching what an earlier run sent. Throws L1TxStoreError. */
export function openPublisher(options: PublisherOptions): OpenPublisher {
  const { l1RpcUrls, identity, accounts, txStorePath, settings, now, logger, timeoutMs = TIMEOUT_MS } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const rpc = new L1Rpc({ urls: l1RpcUrls, timeoutMs, retryDelaysMs: RETRY_DELAYS_MS, signal, logger });
  const states = txStorePath === undefined ? new MemoryTxStates() : new L1TxStore(txStorePath);
  const chainId = identity.l1ChainId;
  const cellProofs = wantsCellProofs(chainId);
  const byAddress = new Map(accounts.map((account) => [account.address, account]));
  const senders = [...byAddress.values()].map(
    (account) =>
      new L1Sender({ rpc, signer: signerOf(account), chainId, settings, states, cellProofs, now, signal, logger }),
  );
  const publisher = new Publisher({ ...options, rpc, senders, signal });
  return {
    publisher,
    close: async () => {
      stop.abort();
      await Promise.all(senders.map((sender) => sender.settled()));
      await publisher.close();
      await states.close();
    },
  };
}
