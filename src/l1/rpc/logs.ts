import { toHex } from "../../protocol/bytes.ts";
import { L1EndpointError, L1RpcError, L1UnavailableError } from "../errors.ts";
import { type L1Log, logs } from "./answers.ts";
import type { L1Rpc } from "./l1-rpc.ts";

interface LogFilter {
  address: string;
  /** null matches any. */
  topics: (string | null)[];
  fromBlock: number;
  /** Inclusive. */
  toBlock: number;
}

/** Error texts of endpoints that limit a query's range or number of logs. */
const TOO_MUCH = /range|too many|limit|exceed|more than|too large|timeout|timed out|max(imum)? /i;

function asksTooMuch(error: unknown): boolean {
  if (error instanceof L1UnavailableError) return error.failures.some(asksTooMuch);
  if (error instanceof L1RpcError) return TOO_MUCH.test(error.rpcMessage);
  return error instanceof L1EndpointError && error.kind === "timeout";
}

/**
 * Logs of one contract in a block range, in chain order. A range that is too large for the endpoints is split in
 * halves. Logs that do not match the filter, which some servers send, are dropped.
 * @param readLogs decodes the logs. Throws a DecodeError, which counts against the endpoint that sent them.
 */
export async function getLogs<T>(rpc: L1Rpc, filter: LogFilter, readLogs: (logs: L1Log[]) => T[]): Promise<T[]> {
  const { address, topics, fromBlock, toBlock } = filter;
  if (fromBlock > toBlock) return [];
  const params = [{ address, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` }];
  const matches = (log: L1Log) =>
    log.address === address &&
    log.blockNumber >= fromBlock &&
    log.blockNumber <= toBlock &&
    topics.every((topic, i) => topic === null || (log.topics[i] && toHex(log.topics[i]) === topic));
  const parse = (value: unknown) => readLogs(logs(value).filter(matches));
  try {
    return await rpc.request({ method: "eth_getLogs", params, parse, needsBlock: toBlock });
  } catch (error) {
    if (fromBlock === toBlock || !asksTooMuch(error)) throw error;
    const middle = Math.floor((fromBlock + toBlock) / 2);
    const first = await getLogs(rpc, { ...filter, toBlock: middle }, readLogs);
    return first.concat(await getLogs(rpc, { ...filter, fromBlock: middle + 1 }, readLogs));
  }
}
