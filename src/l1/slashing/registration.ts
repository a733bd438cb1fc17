import { toEventSelector } from "viem";
import { registryAbi } from "../abi/registry.ts";
import { block, quantity } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";
import type { RollupIdentity } from "../types.ts";

const TOPIC = toEventSelector(
  registryAbi.find((item) => item.type === "event" && item.name === "CanonicalRollupUpdated") as never,
);

/**
 * When the registry made the rollup canonical, in seconds; undefined if it never did. Throws an L1Error. The rollup is
 * deployed before that, so earlier blocks are not searched.
 */
export async function registrationTime(
  rpc: L1Rpc,
  { addresses, constants }: Pick<RollupIdentity, "addresses" | "constants">,
): Promise<number | undefined> {
  const parse = (answer: unknown) => quantity(answer, "block number");
  const toBlock = await rpc.request({ method: "eth_blockNumber", params: [], parse });
  const instance = `0x${addresses.rollupAddress.slice(2).toLowerCase().padStart(64, "0")}`;
  const filter = {
    address: addresses.registryAddress,
    topics: [TOPIC, instance],
    fromBlock: constants.l1StartBlock,
    toBlock,
  };
  const [number] = await getLogs(rpc, filter, (logs) => logs.map(({ blockNumber }) => blockNumber));
  if (number === undefined) return undefined;
  const params = [`0x${number.toString(16)}`, false];
  const found = await rpc.request({ method: "eth_getBlockByNumber", params, parse: block });
  return found?.timestamp;
}
