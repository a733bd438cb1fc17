import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chainOf } from "../../../src/archiver/chain-reads.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { block } from "../../../src/l1/rpc/answers.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { networkGeometry } from "../../../src/protocol/generations/gas-limits.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { FunctionSignatures } from "../../../src/rpc/methods/contracts/function-signatures.ts";
import { ABSENT_SERVICES } from "../../../src/rpc/ports/absent-services.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { openStore } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { recordedPublicData, V5_CHAIN } from "../l1/recorded-networks.ts";
import { ServedRecording, V5_CHAINS, type V5Chain } from "../l1/served-recording.ts";
import type { V5Answer } from "./recorded-v5-answers.ts";

/** A recorded v5 rollup, followed from its L1 and blobs in this process, with its JSON-RPC. */
export interface ServedV5Chain {
  readonly services: NodeServices;
  /** `method` is a name on the wire. */
  ask(method: string, params: unknown[]): Promise<V5Answer>;
  close(): Promise<void>;
}

/** Seconds after the last L1 block at which the recorded node was asked. */
const ASKED_AFTER: Readonly<Record<V5Chain, number>> = { chain: 0, "pruned-chain": 60 };

/** The clock of that time: predicted fees depend on it. */
async function clockOf(recorded: V5Chain, url: string): Promise<() => number> {
  const rpc = new L1Rpc({ urls: [url], logger: silentLogger });
  const latest = await rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false], parse: block });
  return () => latest!.timestamp + ASKED_AFTER[recorded];
}

export async function serveV5Chain(recorded: V5Chain): Promise<ServedV5Chain> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closing.toReversed()) await one();
  };
  try {
    const core = loadCore();
    const l1 = await ServedRecording.start(recorded);
    closing.push(() => l1.stop());
    const reader = await connectRollup({
      l1RpcUrls: [l1.url],
      l1ChainId: 31337,
      registryAddress: V5_CHAINS[recorded],
      ethereumSlotDuration: 12,
      now: await clockOf(recorded, l1.url),
    });
    const { identity } = reader;
    const blobs = createBlobFetcher({ identity, l1RpcUrls: [l1.url], fileStoreUrls: [`file://${l1.blobStore}`] });
    closing.push(() => blobs.close());
    const path = mkdtempSync(join(tmpdir(), "svc-v5-answers-"));
    closing.push(() => rmSync(path, { recursive: true, force: true }));
    const store = openStore({ path });
    closing.push(() => store.close());
    const world = new WorldState(core, store, genesisContent(V5, recordedPublicData(core, V5_CHAIN)));
    const chain = chainOf(store, world, { epochDuration: identity.constants.epochDuration, generation: V5 });
    const synchronizer = new Synchronizer({
      store,
      chain,
      worldState: world,
      reader,
      blobs,
      rebuild: rebuildInThread(core, V5),
      validateAttestations: async () => ({ valid: true }),
      logger: silentLogger,
      options: { checkpointHistory: 0 },
    });
    closing.push(() => synchronizer.stop());
    await synchronizer.syncOnce();
    const services: NodeServices = {
      ...ABSENT_SERVICES,
      ...{ chain, world, core, identity },
      content: new ContentStore({ store, chain }),
      status: {
        ready: () => true,
        version: V5.api.release,
        revertWords: "4.3",
        realProofs: false,
        txGasLimits: () => V5.transactions.offeredGas(networkGeometry(identity.constants, {}, V5.consensus)),
      },
      sync: { lastProcessedL1Block: () => chain.state.processed() },
      fees: reader.fees,
      outbox: reader.outbox,
      signatures: new FunctionSignatures(),
    };
    const options = { maxBatchSize: 100, namespaces: ["svc", "aztec", "node"] as const };
    const dispatcher = new Dispatcher(
      publicRegistry(services),
      { ...options, expectedErrors: [UnknownStateError] },
      silentLogger,
    );
    const ask = async (method: string, params: unknown[]): Promise<V5Answer> => {
      const { status, body } = await dispatcher.answer({ jsonrpc: "2.0", id: 1, method, params });
      const { result, error } = JSON.parse(Buffer.from(body).toString("utf8"));
      return error === undefined ? { status, result } : { status, error };
    };
    return { services, ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}
