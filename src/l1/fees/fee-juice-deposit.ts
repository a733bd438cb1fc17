import { decodeEventLog, encodeFunctionData, type Hex } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import { feeAssetAbi, feeAssetHandlerAbi, feeJuicePortalAbi } from "../abi/fee-juice-portal.ts";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import type { L1Log } from "../rpc/answers.ts";

/** What the fee asset handler mints in one call (docs/protocol/04-l1-contracts.md). */
export const MINTED_FEE_ASSET = 1_000n * 10n ** 18n;

/** A transaction of an L1 account; 0x texts. */
interface DepositStep {
  to: string;
  data: string;
}

interface FeeJuiceDeposit {
  /** Account that sends the steps. */
  from: string;
  /** 32-byte L2 address. */
  to: Uint8Array;
  amount: bigint;
  /** 32 bytes. */
  secretHash: Uint8Array;
}

/** The transactions that mint the fee asset and deposit it for an address on L2, in their order. */
export function depositSteps(
  { feeAssetHandlerAddress, feeJuiceAddress, feeJuicePortalAddress }: L1ContractAddresses,
  { from, to, amount, secretHash }: FeeJuiceDeposit,
): DepositStep[] | undefined {
  if (feeAssetHandlerAddress === undefined) return undefined;
  const approved = [feeJuicePortalAddress as Hex, amount] as const;
  const deposited = [toHex(to) as Hex, amount, toHex(secretHash) as Hex] as const;
  return [
    {
      to: feeAssetHandlerAddress,
      data: encodeFunctionData({ abi: feeAssetHandlerAbi, functionName: "mint", args: [from as Hex] }),
    },
    {
      to: feeJuiceAddress,
      data: encodeFunctionData({ abi: feeAssetAbi, functionName: "approve", args: approved }),
    },
    {
      to: feeJuicePortalAddress,
      data: encodeFunctionData({ abi: feeJuicePortalAbi, functionName: "depositToAztecPublic", args: deposited }),
    },
  ];
}

/** Message hash (0x text) and leaf index that a deposit got; undefined if the logs have no deposit. */
export function depositOf(
  logs: readonly Pick<L1Log, "address" | "topics" | "data">[],
  portal: string,
): { messageHash: string; leafIndex: bigint } | undefined {
  const log = logs.find(({ address, topics }) => address === portal.toLowerCase() && topics.length === 2);
  if (log === undefined) return undefined;
  const { args } = decodeEventLog({
    abi: feeJuicePortalAbi,
    topics: log.topics.map((topic) => toHex(topic)) as [Hex, Hex],
    data: toHex(log.data) as Hex,
  });
  return { messageHash: args.key, leafIndex: args.index };
}
