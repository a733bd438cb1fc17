import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import { type Logger, silentLogger } from "../../telemetry/logger.ts";
import { L1ConfigurationError, L1EndpointError, L1Error, L1UnavailableError, NoL1Error } from "../errors.ts";
import type { L1CallCounts } from "../rpc/l1-call-counts.ts";
import { L1Rpc } from "../rpc/l1-rpc.ts";
import type { ConnectedRollup } from "../types.ts";
import { type DiscoveryOptions, discoverContracts, findRollup } from "./discovery.ts";
import { readIdentity } from "./identity.ts";
import { isZeroAddress } from "./optional-addresses.ts";
import { rollupGeneration } from "./rollup-protocol.ts";
import { JsonRpcRollupReader } from "./rollup-reader.ts";
import { missingTraces } from "./trace-support.ts";

export interface ConnectOptions extends DiscoveryOptions {
  /** In order of preference. */
  l1RpcUrls: readonly string[];
  /** Endpoints with trace methods; if unset or empty, `l1RpcUrls` are used. */
  debugRpcUrls?: readonly string[];
  l1ChainId: number;
  /** Seconds between L1 blocks. */
  ethereumSlotDuration: number;
  /** Timeout per HTTP request, in milliseconds. */
  timeoutMs?: number;
  /** Delays between rounds over all endpoints, in milliseconds. */
  retryDelaysMs?: readonly number[];
  /**
   * Fail if no debug endpoint can trace (docs/protocol/04-l1-contracts.md#48-finding-the-calldata), instead of only
   * logging it.
   */
  requireTraces?: boolean;
  /** Aborts calls in progress, also those of the returned reader, and refuses later ones. */
  signal?: AbortSignal;
  /** Counts the calls to L1. */
  calls?: L1CallCounts;
  /** The health of endpoints, shared with their other users. */
  endpoints?: EndpointBook;
  logger?: Logger;
  /** Unix seconds; the machine's time by default. */
  now?: () => number;
}

function checkAddress(name: string, value: string | undefined): void {
  if (value === undefined) return;
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) throw new L1ConfigurationError(`${name} must be a 20-byte 0x address`);
  if (isZeroAddress(value)) throw new L1ConfigurationError(`${name} must not be zero`);
}

/**
 * Traces are needed only for transactions that no other decoder understands, so missing traces are only logged by
 * default.
 */
async function checkTraces(rpc: L1Rpc, debugRpc: L1Rpc, options: ConnectOptions, logger: Logger): Promise<void> {
  try {
    if (debugRpc !== rpc) await debugRpc.checkChain(options.l1ChainId);
    const missing = await missingTraces(debugRpc);
    if (!missing) return;
    if (options.requireTraces)
      throw new L1ConfigurationError(`no endpoint with traces: ${missing}`, { url: debugRpc.urls[0] });
    logger.debug({ reason: missing }, "L1 transactions cannot be traced");
  } catch (error) {
    if (!(error instanceof L1Error) || error.fatal || options.requireTraces) throw error;
    logger.warn({ err: error }, "the L1 debug endpoints do not answer");
  }
}

/** Statuses of a server that has no JSON-RPC at the URL, unlike those of one that is busy, down or wants a key. */
const NOT_THERE = [404, 405, 410];

/** Whether an endpoint is there and is none of L1: a page, or another service. */
function isNoL1(error: L1Error): boolean {
  if (!(error instanceof L1EndpointError) || error.status === undefined) return false;
  return error.kind === "nonsense" || NOT_THERE.includes(error.status);
}

async function checkEndpoints(rpc: L1Rpc, chainId: number): Promise<void> {
  try {
    await rpc.checkChain(chainId);
  } catch (error) {
    if (!(error instanceof L1Error)) throw error;
    const failures = error instanceof L1UnavailableError ? error.failures : [error];
    throw failures.every(isNoL1) ? new NoL1Error(failures) : error;
  }
}

/**
 * Connects to the rollup of a network: checks the chain id of the endpoints, leaving out those on another chain, and
 * that the rollup is of a generation that this program knows, finds the contracts through the registry and reads the
 * rollup's constants. Throws an L1Error; if its `fatal` is set, retrying is useless.
 *
 * @example const reader = await connectRollup({
 *   l1RpcUrls: ["http://127.0.0.1:8545"],
 *   l1ChainId: 31337,
 *   registryAddress: "0xb7f8bc63bbcad18155201308c8f3540b07f84f5e",
 *   ethereumSlotDuration: 12,
 * }); const checkpoints = await reader.checkpoints(reader.identity.constants.l1StartBlock, (await
 * reader.latestBlock()).number);
 */
export async function connectRollup(options: ConnectOptions): Promise<ConnectedRollup> {
  const {
    l1RpcUrls,
    debugRpcUrls,
    timeoutMs,
    retryDelaysMs,
    signal,
    calls,
    endpoints,
    logger = silentLogger,
  } = options;
  checkAddress("the registry address", options.registryAddress);
  checkAddress("the rollup address", options.rollupAddress);
  for (const [name, address] of Object.entries(options.otherAddresses ?? {}))
    if (!isZeroAddress(address)) checkAddress(name, address);
  const common = { timeoutMs, retryDelaysMs, signal, calls, endpoints, logger };
  const rpc = new L1Rpc({ urls: l1RpcUrls, ...common });
  const debugRpc = debugRpcUrls?.length ? new L1Rpc({ urls: debugRpcUrls, service: "l1-debug", ...common }) : rpc;
  await checkEndpoints(rpc, options.l1ChainId);
  await checkTraces(rpc, debugRpc, options, logger);
  // Before anything else is asked of the rollup: one of another protocol may lack the other functions.
  const rollupAddress = await findRollup(rpc, options);
  const generation = await rollupGeneration(rpc, rollupAddress);
  const addresses = await discoverContracts(rpc, { ...options, rollupAddress });
  const identity = await readIdentity(rpc, addresses, generation, options);
  if (options.rollupVersion !== undefined && options.rollupVersion !== identity.rollupVersion) {
    logger.warn(
      { configured: options.rollupVersion, rollup: identity.rollupVersion },
      "the rollup's version is not the configured number",
    );
  }
  return new JsonRpcRollupReader(rpc, debugRpc, identity, logger, options.now);
}
