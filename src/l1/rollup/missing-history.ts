import { equal, toHex } from "../../protocol/bytes.ts";
import { blockAt, logs, transaction } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { L1Block, MissingHistory } from "../types.ts";

/**
 * What endpoints lack of an L1 block in which the rollup logged something. Execution clients that prune old receipts or
 * their index of transactions answer an empty list, or null, where others answer an error. Later calls prefer the
 * endpoints that lack nothing.
 */
export async function missingHistory(
  rpc: L1Rpc,
  rollupAddress: string,
  at: Pick<L1Block, "number" | "hash">,
): Promise<MissingHistory[]> {
  const number = `0x${at.number.toString(16)}`;
  const [blocks, found] = await Promise.all([
    rpc.requestEach({ method: "eth_getBlockByNumber", params: [number, false], parse: blockAt(at.number) }),
    rpc.requestEach({
      method: "eth_getLogs",
      params: [{ address: rollupAddress, fromBlock: number, toBlock: number }],
      parse: (value) => logs(value).filter((log) => log.address === rollupAddress && log.blockNumber === at.number),
    }),
  ]);
  const same = new Set(blocks.flatMap(({ url, answer }) => (answer && equal(answer.hash, at.hash) ? [url] : [])));
  const lacksLogs = found.filter(({ url, answer }) => same.has(url) && answer.length === 0).map(({ url }) => url);
  const [log] = found.flatMap(({ answer }) => answer.filter(({ blockHash }) => equal(blockHash, at.hash)));
  const txs =
    log === undefined
      ? []
      : await rpc.requestEach({
          method: "eth_getTransactionByHash",
          params: [toHex(log.transactionHash)],
          parse: transaction,
        });
  const lacksTxs = txs.filter(({ url, answer }) => same.has(url) && answer === undefined).map(({ url }) => url);
  rpc.preferOthers([...lacksLogs, ...lacksTxs]);
  return [
    ...lacksLogs.map((url) => ({ url, lacks: "logs" as const })),
    ...lacksTxs.filter((url) => !lacksLogs.includes(url)).map((url) => ({ url, lacks: "transactions" as const })),
  ];
}
