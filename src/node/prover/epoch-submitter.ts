import { join } from "node:path";
import type { PartValues } from "../../config/part-values.ts";
import { wantsCellProofs } from "../../l1/propose/sidecars.ts";
import { ProofReader } from "../../l1/prove/proof-reader.ts";
import { L1Sender } from "../../l1/tx/l1-sender.ts";
import { MemoryTxStates } from "../../l1/tx/memory-tx-states.ts";
import { countL1Txs } from "../../l1/tx/metrics.ts";
import { L1TxStore, type TxStates } from "../../l1/tx/tx-store.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { EpochPublisher } from "../../prover/node/epoch-publisher.ts";
import { dutyRpc } from "../chain/duty-rpc.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { ConfiguredProver } from "../keys/prover-keys.ts";
import { accountSigner } from "../keys/signers.ts";

export interface EpochSubmitter {
  readonly publisher: EpochPublisher;
  stop(): Promise<void>;
}

/** Starts what submits proofs to L1 and stores sent transactions on disk. Throws L1TxStoreError. */
export function startEpochSubmitter(
  { reader, clock, l1Calls, endpoints, metrics, sampleAccounts, loggerFor }: ChainContext,
  values: PartValues,
  directory: { path: string; temporary: boolean },
  { publishers }: ConfiguredProver,
): EpochSubmitter {
  const { identity } = reader;
  const generation = generationNamed(identity.generation);
  const stopping = new AbortController();
  const { signal } = stopping;
  const logger = loggerFor("prover:publisher");
  const { l1ChainId: chainId } = identity;
  const rpc = dutyRpc({ values: values.l1, chainId, signal, calls: l1Calls, endpoints, logger });
  const states: TxStates = directory.temporary
    ? new MemoryTxStates()
    : new L1TxStore(join(directory.path, "l1-tx-utils-prover"));
  const senders = publishers.map(
    (account) =>
      new L1Sender({
        ...{ rpc, chainId, states, signal, logger },
        settings: values.l1Txs,
        cellProofs: wantsCellProofs(chainId),
        now: clock.now,
        signer: accountSigner(account, endpoints),
        finished: countL1Txs(metrics, account.address, "prover"),
      }),
  );
  const publisher = new EpochPublisher({
    ...{ rpc, reader, identity, generation, senders, signal, logger },
    proofs: new ProofReader(rpc, identity, generation),
    allowBusy: values.prover.publisher.allowBusy,
    forwarder: values.prover.publisher.forwarder,
  });
  const stopSampling = sampleAccounts({ rpc, senders });
  return {
    publisher,
    async stop() {
      stopSampling();
      stopping.abort();
      await Promise.all(senders.map((sender) => sender.settled()));
      await states.close();
    },
  };
}
