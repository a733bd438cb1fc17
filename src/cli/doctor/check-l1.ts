import { resolve } from "node:path";
import { ChainState } from "../../archiver/tables/chain-state.ts";
import { Checkpoints } from "../../archiver/tables/checkpoints.ts";
import { reveal } from "../../config/configuration.ts";
import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { createBlobFetcher } from "../../l1/blobs/create-blob-fetcher.ts";
import { L1Error, L1ReorgError, OtherProtocolError } from "../../l1/errors.ts";
import { type ConnectOptions, connectRollup } from "../../l1/rollup/connect.ts";
import { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import type { ConnectedRollup } from "../../l1/types.ts";
import { ConfiguredGeneses } from "../../network/genesis.ts";
import { checkDuties } from "../../node/settings/duties-of-rollup.ts";
import { objectStoreAccess } from "../../node/settings/object-access.ts";
import { writesOwnBlobSource } from "../../node/settings/object-stores.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { storedGeneration } from "../../storage/identity.ts";
import { openStore } from "../../storage/store.ts";
import { silentLogger } from "../../telemetry/logger.ts";
import { checkBlobs } from "./check-blobs.ts";
import { checkClock } from "./check-clock.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { checkBalances } from "./check-keys.ts";
import { type Finding, fail, ok, skip } from "./finding.ts";

const TIMEOUT_MS = 10_000;

/** Limit of one request to L1. */
function l1TimeoutMs({ timeoutMs = TIMEOUT_MS }: PartValues["l1"]): number {
  return timeoutMs;
}

/** L1 blocks of one query of the sync, if the rollup is unknown: those of mainnet. */
const USUAL_RANGE = 600;

interface L1Settings {
  values: PartValues;
  /** Whether the data directory has a chain store of this program's schema. */
  stored: boolean;
  publishers: readonly string[];
  now(): number;
}

function connectOptions(values: PartValues, registryAddress: string): ConnectOptions {
  return {
    l1RpcUrls: values.l1.urls,
    l1ChainId: values.l1.chainId,
    ethereumSlotDuration: values.l1.slotDuration,
    registryAddress,
    rollupVersion: values.l1.rollupVersion === "canonical" ? undefined : values.l1.rollupVersion,
    otherAddresses: {},
    timeoutMs: l1TimeoutMs(values.l1),
    retryDelaysMs: [],
    logger: silentLogger,
  };
}

interface StoredPositions {
  /** L1 block after which the sync goes on. */
  synced: number | undefined;
  /** L1 block of the latest checkpoint. */
  published: number | undefined;
}

async function storedPositions(dataDirectory: string | undefined): Promise<StoredPositions | undefined> {
  if (dataDirectory === undefined) return undefined;
  const store = openStore({ path: resolve(dataDirectory, "chain"), readOnly: true });
  try {
    const synced = new ChainState(store).syncPoint("checkpoint-sync")?.number;
    return { synced, published: new Checkpoints(store, storedGeneration(store)).last()?.l1.number };
  } finally {
    await store.close();
  }
}

interface Connected {
  reader?: ConnectedRollup;
  /** Undefined where the rollup is unknown. */
  generation?: Generation;
  finding: Finding;
}

async function connected(values: PartValues): Promise<Connected> {
  const { registryAddress } = values.l1;
  if (registryAddress === undefined) {
    const remedy = "give --network, or --registry-address (REGISTRY_CONTRACT_ADDRESS)";
    return { finding: fail("rollup", "no registry address is given", remedy) };
  }
  let generation: Generation | undefined;
  try {
    const reader = await connectRollup(connectOptions(values, registryAddress));
    const { addresses, rollupVersion, genesisArchiveRoot: deployed } = reader.identity;
    const rollup = `${addresses.rollupAddress}, version ${rollupVersion}`;
    generation = generationNamed(reader.identity.generation);
    const geneses = new ConfiguredGeneses(loadCore(), values.genesis);
    if (geneses.of(generation, deployed)) {
      checkDuties(values, reader.identity);
      return { reader, generation, finding: ok("rollup", rollup) };
    }
    const text = `${rollup}, was deployed for another genesis: ${toHex(deployed)}, configured is ${toHex(geneses.firstRoot(generation))}`;
    const remedy = "give TEST_ACCOUNTS, SPONSORED_FPC and PREFUND_ADDRESSES as the network has them";
    return { reader, generation, finding: fail("rollup", text, remedy) };
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return { generation, finding: fail("rollup", error.message, "see the message") };
    }
    if (!(error instanceof L1Error)) throw error;
    if (error instanceof OtherProtocolError) return { finding: fail("rollup", error.message, error.remedy) };
    const remedy =
      error instanceof L1ReorgError
        ? "this endpoint has pruned its history: use one with all blocks, transactions and logs"
        : "see the lines about L1; then check --network, --registry-address and --rollup-version";
    return { finding: fail("rollup", error.message, remedy) };
  }
}

async function checkSources(
  values: PartValues,
  reader: ConnectedRollup,
  from: number,
  range: number,
): Promise<Finding[]> {
  const blobs = createBlobFetcher({
    identity: reader.identity,
    l1RpcUrls: values.l1.urls,
    l1TimeoutMs: values.l1.timeoutMs,
    fileStoreUrls: values.blobs.fileStoreUrls,
    fileStoreTimeoutMs: values.blobs.fileStoreTimeoutMs,
    consensusFirst: !values.blobs.preferFileStores,
    consensusUrls: values.l1.consensusUrls,
    consensusApiKeys: reveal(values.l1.consensusApiKeys)?.map((key) => key || undefined),
    consensusApiKeyHeaders: values.l1.consensusApiKeyHeaders.map((header) => header || undefined),
    archiveUrl: values.blobs.archiveUrl,
    ...objectStoreAccess(values.objectStores),
    timeoutMs: TIMEOUT_MS,
    retryDelaysMs: [],
  });
  try {
    const { number: latest } = await reader.latestBlock();
    const startsWithout = values.blobs.allowEmpty || writesOwnBlobSource(values.blobs);
    return await checkBlobs(blobs, { reader, from, latest, range, startsWithout });
  } finally {
    await blobs.close();
  }
}

interface L1Facts {
  findings: Finding[];
  /** Of the rollup; undefined where it is unknown. */
  generation?: Generation;
}

/** Endpoints, rollup, clock, blobs and balances. */
export async function checkL1({ values, stored, publishers, now }: L1Settings): Promise<L1Facts> {
  const { urls: l1RpcUrls, chainId } = values.l1;
  if (l1RpcUrls.length === 0) {
    return { findings: [fail("L1", "no endpoint is given", "give --l1-rpc-urls (ETHEREUM_HOSTS)")] };
  }
  const { reader, generation, finding: rollup } = await connected(values);
  const constants = reader?.identity.constants;
  const logRange = constants
    ? Math.max(Math.floor((values.sync.batchSize * constants.slotDuration) / constants.ethereumSlotDuration), 1)
    : USUAL_RANGE;
  const positions = stored ? await storedPositions(values.storage.directory) : undefined;
  const from = constants && Math.max(constants.l1StartBlock, (positions?.synced ?? -1) + 1);
  const logged = positions?.published ?? constants?.l1StartBlock;
  const timeoutMs = l1TimeoutMs(values.l1);
  const needs = { chainId, rollupAddress: reader?.identity.addresses.rollupAddress, from, logged, logRange, timeoutMs };
  const endpoints = await Promise.all(l1RpcUrls.map((url) => checkEndpoint(url, needs)));
  const latest = endpoints.flatMap((endpoint) => endpoint.latest ?? []);
  const clock = checkClock(latest, { chainId, maxDriftSeconds: values.l1.maxDriftSeconds, now });
  const rpc = new L1Rpc({ urls: l1RpcUrls, timeoutMs, retryDelaysMs: [], logger: silentLogger });
  const blobs =
    reader !== undefined && from !== undefined
      ? await checkSources(values, reader, from, logRange)
      : [skip("blobs", "not asked: the rollup is not known")];
  const findings = [
    ...endpoints.flatMap((endpoint) => endpoint.findings),
    clock,
    rollup,
    ...blobs,
    ...(await checkBalances(rpc, publishers)),
  ];
  return { findings, generation };
}
