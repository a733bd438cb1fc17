import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { parseLogFilter } from "../../src/config/log-filter.ts";
import type { Values } from "../../src/config/options.ts";
import { Kzg } from "../../src/l1/blobs/kzg.ts";
import { openDataDirectory } from "../../src/node/data-directory.ts";
import { createLogging } from "../../src/node/logging.ts";
import { type ChainParts, type RunningNode, startNode } from "../../src/node/node.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { runSvc } from "../cli/run-svc.ts";
import { PROVER_KEY, recordedSubmissions, startThreeEpochs, type ThreeEpochs } from "../prover/three-epochs.ts";
import { until } from "../sequencer/proposing-node.ts";
import { BucketServer } from "../storage/objects/bucket-server.ts";
import { requireSignature } from "../storage/objects/s3-signature-check.ts";

interface LogLine {
  level: number;
  msg: string;
  [fact: string]: unknown;
}

const AWS = { AWS_ACCESS_KEY_ID: "the id", AWS_SECRET_ACCESS_KEY: "the secret" };

/** Another node, which has the transactions of the recorded epochs. */
async function txSource(all: Record<string, unknown>[]): Promise<Server> {
  const txs = Object.fromEntries(all.map((tx) => [String(tx.txHash), tx]));
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { id, params } = JSON.parse(Buffer.concat(parts).toString()) as { id: number; params: [string[]] };
      const result = params[0].flatMap((hash) => (hash in txs ? [txs[hash]] : []));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

class FirstOpeningFails extends Kzg {
  #openings = 0;

  override async open(...asked: Parameters<Kzg["open"]>): ReturnType<Kzg["open"]> {
    if (this.#openings++ === 0) throw new Error("the first opening fails");
    return super.open(...asked);
  }
}

describe("a node with a prover on an L1 with three unproven epochs", () => {
  const log: LogLine[] = [];
  let l1: ThreeEpochs;
  let source: Server;
  let node: RunningNode;
  let parts: ChainParts;
  let release: () => void;
  let bucket: BucketServer;
  const kzg = new FirstOpeningFails();

  const failedEpochs = () => ({
    PROVER_NODE_FAILED_EPOCH_STORE: `s3://epochs/failed?endpoint=${bucket.url}`,
    ...AWS,
  });

  beforeAll(async () => {
    bucket = await BucketServer.start();
    bucket.intercept = requireSignature(AWS.AWS_SECRET_ACCESS_KEY);
    l1 = await startThreeEpochs();
    source = await txSource(l1.txs());
    const address = source.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const environment = {
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
      ...failedEpochs(),
      TX_COLLECTION_NODE_RPC_URLS: `http://127.0.0.1:${port}`,
    };
    const { values } = configure({ flags: new Map([["--prover-node", "true"]]), environment });
    const directory = openDataDirectory(undefined, () => {});
    release = () => directory.release();
    node = await startNode({
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
      beforeListening: async (started) => {
        parts = started;
        parts.clock.set((l1.timestamp + 4) * 1000);
      },
    });
  });

  afterAll(async () => {
    await node?.stop();
    release?.();
    source?.close();
    await kzg.close();
    await l1?.stop();
    await bucket?.close();
  });

  it("proves all of them, in order, on L1, also the one that fails at first", async () => {
    const { reader } = parts;
    const proven = async () => reader.provenCheckpointNumber((await reader.latestBlock()).number);
    await until(async () => (await proven()) === 64);
    const submissions = () => log.filter(({ msg }) => msg.startsWith("submitted the proof of epoch"));
    // The node sees its last transaction on L1 some time after the test does.
    await until(async () => submissions().length >= 3);
    const submitted = submissions();
    expect(submitted.map(({ epoch }) => epoch)).toEqual([23, 24, 25]);
    const calldata = await Promise.all(
      submitted.map(async ({ txHash }) => {
        const body = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionByHash", params: [txHash] };
        const answer = await fetch(l1.url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return ((await answer.json()) as { result: { input: string } }).result.input;
      }),
    );
    const recorded = recordedSubmissions().filter(({ epoch }) => epoch >= 23);
    expect([calldata[0], calldata[2]]).toEqual(recorded.map((each) => each.calldata));
    expect(log.filter(({ msg }) => msg.startsWith("proving epoch {epoch} ended as"))).toHaveLength(1);
  }, 240_000);

  it("has uploaded the epoch that failed, which svc prove-failed-epoch proves without the node and L1", async () => {
    const uploaded = () => log.find(({ msg }) => msg.startsWith("failed epoch {epoch} is uploaded"));
    await until(async () => uploaded() !== undefined);
    const { epoch, folder } = uploaded() as LogLine & { epoch: number; folder: string };
    const failure = log.find(({ msg }) => msg.startsWith("proving epoch {epoch} ended as"));
    expect(failure).toMatchObject({ epoch, reason: expect.stringContaining("the first opening fails") });
    const environment = { PROVER_REAL_PROOFS: "false", LOG_LEVEL: "silent", ...failedEpochs() };
    const ended = await runSvc(["prove-failed-epoch", folder], environment);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const checkpoints = parts.chain.checkpointsOfEpoch(epoch);
    const [first, last] = [checkpoints[0], checkpoints[checkpoints.length - 1]];
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ...{ epoch, start: first.number, end: last.number, endArchive: toHex(last.archiveRoot) },
      failedBefore: failure?.reason,
    });
  }, 240_000);
});
