import { configure } from "../../../src/config/configuration.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import type { Values } from "../../../src/config/options.ts";
import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { type ChainParts, startNode } from "../../../src/node/node.ts";
import { openDataDirectory } from "../../../src/process/data-directory.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { PROVER_KEY, type ThreeEpochs } from "../../world/prover/three-epochs.ts";
import { startTxSource, type TxSource } from "../../world/prover/tx-source.ts";

export interface LogLine {
  level: number;
  msg: string;
  [fact: string]: unknown;
}

/** A node in this process that proves the epochs of the recorded L1. */
export interface ProvingNode {
  readonly parts: ChainParts;
  readonly log: LogLine[];
  readonly txs: TxSource;
  /** Log lines about proofs that L1 accepted. */
  submitted(): LogLine[];
  stop(): Promise<void>;
}

export interface ProvingNodeOptions {
  environment?: Record<string, string>;
  kzg?: Kzg;
  /** Start without answers about transactions, until `txs.release` is called. */
  holdsTxs?: boolean;
}

export async function startProvingNode(
  l1: ThreeEpochs,
  { environment, kzg, holdsTxs = false }: ProvingNodeOptions = {},
): Promise<ProvingNode> {
  const log: LogLine[] = [];
  const txs = await startTxSource(l1.txs(), holdsTxs);
  const { values } = configure({
    flags: new Map([["--prover-node", "true"]]),
    environment: {
      ETHEREUM_HOSTS: l1.url,
      ETHEREUM_SLOT_DURATION: "4",
      L1_CHAIN_ID: "31337",
      REGISTRY_CONTRACT_ADDRESS: l1.registryAddress,
      TEST_ACCOUNTS: "true",
      SPONSORED_FPC: "true",
      PROVER_REAL_PROOFS: "false",
      P2P_ENABLED: "false",
      AZTEC_PORT: "0",
      AZTEC_ADMIN_PORT: "0",
      AZTEC_DISABLE_ADMIN_API_KEY: "true",
      SVC_RPC_THREADS: "0",
      ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
      BLOB_ALLOW_EMPTY_SOURCES: "true",
      ARCHIVER_POLLING_INTERVAL_MS: "50",
      PROVER_NODE_POLLING_INTERVAL_MS: "50",
      PROVER_AGENT_POLL_INTERVAL_MS: "20",
      L1_TX_MONITOR_CHECK_INTERVAL_MS: "20",
      PROVER_PUBLISHER_PRIVATE_KEY: toHex(PROVER_KEY),
      TX_COLLECTION_NODE_RPC_URLS: txs.url,
      ...environment,
    },
  });
  const directory = openDataDirectory(undefined, () => {});
  let started: ChainParts | undefined;
  try {
    const node = await startNode({
      values: values as Values & { registryAddress: string },
      directory,
      version: "0.0.0",
      loggerFor: createLogging({
        filter: parseLogFilter("debug"),
        json: true,
        secrets: [],
        write: (line) => void log.push(JSON.parse(line)),
      }),
      signal: new AbortController().signal,
      kzg,
      beforeListening: async (parts) => {
        started = parts;
        parts.clock.set((l1.timestamp + 4) * 1000);
      },
    });
    return {
      parts: started!,
      log,
      txs,
      submitted: () => log.filter(({ msg }) => msg.startsWith("submitted the proof of epoch")),
      async stop() {
        txs.release();
        await node.stop();
        directory.release();
        txs.stop();
      },
    };
  } catch (error) {
    directory.release();
    txs.stop();
    throw error;
  }
}
