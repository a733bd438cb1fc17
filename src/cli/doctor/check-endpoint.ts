import { HistoricalStateUnavailableError } from "../../l1/errors.ts";
import { type L1Log, logs, transaction } from "../../l1/rpc/answers.ts";
import type { L1Block } from "../../l1/types.ts";
import { toHex } from "../../protocol/bytes.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { EndpointProbe, hex, isRateLimit, ruleOf } from "./probe-endpoint.ts";

/** What the endpoints have to serve. */
interface L1Needs {
  chainId: number;
  rollupAddress: string | undefined;
  /** First L1 block that the sync still has to read; undefined when the rollup is unknown. */
  from: number | undefined;
  /**
   * L1 block in which the rollup logged something, before those that the sync still has to read: its deployment's, or
   * that of the latest stored checkpoint. Undefined when the rollup is unknown.
   */
  logged: number | undefined;
  /** L1 blocks of one query for logs. */
  logRange: number;
  /** Limit of each request. */
  timeoutMs: number;
}

interface EndpointFacts {
  findings: Finding[];
  latest: L1Block | undefined;
}

/** Calls at once that any endpoint for a node should take. */
const BURST = 20;
const CHECK = "L1";

/** One L1 endpoint: reachable, chain, tags, logs, history, rate limits. */
export async function checkEndpoint(url: string, needs: L1Needs): Promise<EndpointFacts> {
  const probe = new EndpointProbe(url, needs.timeoutMs);
  let chainId: number;
  let latest: L1Block | undefined;
  try {
    [chainId, latest] = await Promise.all([probe.chainId(), probe.block("latest")]);
  } catch (error) {
    const remedy = isRateLimit(error)
      ? "use an endpoint with a higher limit"
      : "check the URL, its key, and that L1 runs";
    return { findings: [fail(CHECK, `${probe.name}: ${ruleOf(error)}`, remedy)], latest: undefined };
  }
  if (chainId !== needs.chainId) {
    const text = `${probe.name} serves chain ${chainId}, --l1-chain-id is ${needs.chainId}`;
    const remedy = "give an endpoint of the right chain, or the --network or --l1-chain-id that belongs to it";
    return { findings: [fail(CHECK, text, remedy)], latest: undefined };
  }
  if (latest === undefined) {
    return { findings: [fail(CHECK, `${probe.name} has no latest block`, "wait until it is synced")], latest };
  }
  const findings = [
    ok(CHECK, `${probe.name} serves chain ${chainId}, latest block ${latest.number}`),
    await checkTags(probe),
    await checkState(probe, needs),
    await checkLogs(probe, needs, latest.number),
    await checkHistory(probe, needs),
  ];
  const rates = await checkRates(probe);
  return { findings: [...findings.flatMap((finding) => finding ?? []), rates], latest };
}

async function checkTags(probe: EndpointProbe): Promise<Finding> {
  const missing: string[] = [];
  for (const tag of ["finalized", "safe"]) {
    const block = await probe.block(tag).catch((error: unknown) => void ruleOf(error));
    if (block === undefined) missing.push(tag);
  }
  const text = `${probe.name} knows the tags finalized and safe`;
  if (missing.length === 0) return ok("L1 tags", text);
  const remedy = "use an endpoint with a consensus client behind it: without it nothing is known to be final";
  return warn("L1 tags", `${probe.name} does not know ${missing.join(" and ")}`, remedy);
}

/** State of the finalized block, which tells what is proven there. */
async function checkState(probe: EndpointProbe, { rollupAddress }: L1Needs): Promise<Finding | undefined> {
  if (rollupAddress === undefined) return undefined;
  try {
    const final = await probe.block("finalized");
    if (final === undefined) return undefined;
    const code = await probe.call("eth_getCode", [rollupAddress, hex(final.number)], String);
    if (code.length > 2) return ok("L1 state", `${probe.name} has the state of the finalized block ${final.number}`);
  } catch (error) {
    if (!(error instanceof HistoricalStateUnavailableError)) ruleOf(error);
  }
  const remedy = "use an endpoint that keeps state for a few hundred blocks, or the finalized tip stands still";
  return warn("L1 state", `${probe.name} has no state of the finalized block`, remedy);
}

async function logsOf(probe: EndpointProbe, address: string, from: number, to: number): Promise<L1Log[]> {
  return probe.call("eth_getLogs", [{ address, fromBlock: hex(from), toBlock: hex(to) }], logs);
}

/** The largest range of logs that it takes, up to what the sync asks for. */
async function checkLogs(probe: EndpointProbe, needs: L1Needs, latest: number): Promise<Finding | undefined> {
  const { rollupAddress, logRange } = needs;
  if (rollupAddress === undefined) return undefined;
  let rule = "";
  for (let range = logRange; range >= 1; range = Math.floor(range / 2)) {
    try {
      await logsOf(probe, rollupAddress, latest - range + 1, latest);
      if (range === logRange) return ok("L1 logs", `${probe.name} gives logs of ${range} blocks at once`);
      const text = `${probe.name} gives logs of ${range} blocks at once, the sync asks for ${logRange}: ${rule}`;
      return warn(
        "L1 logs",
        text,
        "the sync splits its ranges and takes longer; --archiver.archiverBatchSize asks for less",
      );
    } catch (error) {
      rule = ruleOf(error);
      if (isRateLimit(error)) break;
    }
  }
  return fail("L1 logs", `${probe.name} gives no logs: ${rule}`, "use an endpoint with eth_getLogs");
}

/**
 * Blocks, logs and transactions from where the sync begins. Endpoints that prune old logs answer with an empty list, so
 * a log that must exist is looked for.
 */
async function checkHistory(probe: EndpointProbe, needs: L1Needs): Promise<Finding | undefined> {
  const { from, logged, rollupAddress, logRange } = needs;
  if (from === undefined || logged === undefined || rollupAddress === undefined) return undefined;
  const remedy =
    "use an endpoint with the history of blocks, transactions and logs, or start from a snapshot (SYNC_SNAPSHOTS_URLS)";
  try {
    const block = await probe.block(hex(from));
    if (block === undefined)
      return fail("L1 history", `${probe.name} has no block ${from}, where the sync begins`, remedy);
    await logsOf(probe, rollupAddress, from, from + logRange - 1);
    await probe.call("eth_getBlockByHash", [toHex(block.hash), true], (value) => value);
    const [log] = await logsOf(probe, rollupAddress, logged, logged);
    const lacks = log === undefined ? "logs" : (await hasTransaction(probe, log)) ? undefined : "transactions";
    if (lacks !== undefined) {
      const text = `${probe.name} gives no ${lacks} of L1 block ${logged}, where the rollup has one: it prunes old ones`;
      return fail("L1 history", text, remedy);
    }
    return ok("L1 history", `${probe.name} has blocks and logs from ${from} on, where the sync begins`);
  } catch (error) {
    return fail(
      "L1 history",
      `${probe.name} gives no logs of block ${from}, where the sync begins: ${ruleOf(error)}`,
      remedy,
    );
  }
}

async function hasTransaction(probe: EndpointProbe, { transactionHash }: L1Log): Promise<boolean> {
  return (await probe.call("eth_getTransactionByHash", [toHex(transactionHash)], transaction)) !== undefined;
}

async function checkRates(probe: EndpointProbe): Promise<Finding> {
  const failures = await Promise.all(
    Array.from({ length: BURST }, () =>
      probe.chainId().then(
        () => undefined,
        (error: unknown) => ruleOf(error),
      ),
    ),
  );
  const failed = failures.filter((failure) => failure !== undefined);
  const remedy = "use an endpoint with a higher limit, or give several, comma separated";
  if (probe.refusals > 0) {
    return warn("L1 rate", `${probe.name} refused ${probe.refusals} of ${probe.calls} calls for their rate`, remedy);
  }
  if (failed.length > 0) {
    return warn("L1 rate", `${probe.name} failed ${failed.length} of ${BURST} calls at once: ${failed[0]}`, remedy);
  }
  return ok("L1 rate", `${probe.name} took ${BURST} calls at once, no limit seen in ${probe.calls}`);
}
