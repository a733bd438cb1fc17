import { randomBytes } from "node:crypto";
import { secretHash } from "../core/derive/message.ts";
import { depositOf, depositSteps, MINTED_FEE_ASSET } from "../l1/fees/fee-juice-deposit.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import { BANANA_FEE_CONTRACT, BANANA_TOKEN } from "../recorded-txs/set-up-txs.ts";
import type { FeeJuiceClaim, LocalAccounts } from "../rpc/admin/ports/local-network-control.ts";
import { TEST_ACCOUNTS } from "./banner.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import { LocalNetworkError } from "./local-network-error.ts";
import type { RunningChain } from "./local-node.ts";

type FaucetL1 = Pick<DevelopmentL1, "accounts" | "balance" | "send">;
type FaucetParts = Pick<RunningChain["parts"], "core" | "mempool" | "reader">;

const WEI = 10n ** 18n;
const CONTRACTS = [
  { name: "banana token", address: BANANA_TOKEN },
  { name: "banana fees", address: BANANA_FEE_CONTRACT },
] as const;

/** Accounts of L1 that sign for everybody, and those that the set-up made on L2. */
export async function localAccounts(
  l1: FaucetL1,
  { mempool }: Pick<FaucetParts, "mempool">,
  testAccounts: boolean,
): Promise<LocalAccounts> {
  const feeJuice = (address: string): bigint => mempool.states.latest().feeJuice(fromHex(address));
  const known = testAccounts
    ? [
        ...TEST_ACCOUNTS.map((account, i) => ({ name: `account ${i}`, ...account })),
        ...CONTRACTS.map((contract) => ({ ...contract, secretKey: undefined })),
      ]
    : [];
  const addresses = await l1.accounts();
  const balances = await Promise.all(addresses.map((address) => l1.balance(address)));
  return {
    l1: addresses.map((address, i) => ({ address, balance: balances[i] })),
    l2: known.map((account) => ({ ...account, feeJuice: feeJuice(account.address) })),
  };
}

/** The last account pays: the first ones publish checkpoints and are what people use. */
async function payer(l1: FaucetL1): Promise<string> {
  const address = (await l1.accounts()).at(-1);
  if (address === undefined) throw new LocalNetworkError("The L1 has no account that signs for the faucet");
  return address;
}

/** Sends whole ETH to an account of L1. `to` is 0x text. */
export async function giveEther(l1: FaucetL1, to: string, ether: number): Promise<void> {
  await l1.send({ from: await payer(l1), to, value: BigInt(ether) * WEI });
}

/**
 * Deposits fee juice for an address on L2. It can be claimed with what is returned, once a block has the message: a
 * balance on L2 grows by a transaction of its owner only.
 */
export async function depositFeeJuice(
  l1: FaucetL1,
  { core, reader }: Pick<FaucetParts, "core" | "reader">,
  to: Uint8Array,
): Promise<FeeJuiceClaim> {
  const { addresses } = reader.identity;
  // Below the field's modulus.
  const secret = new Uint8Array(randomBytes(32));
  secret[0] = 0;
  const deposit = { from: await payer(l1), to, amount: MINTED_FEE_ASSET, secretHash: secretHash(core, secret) };
  const steps = depositSteps(addresses, deposit);
  if (steps === undefined) throw new LocalNetworkError("This network has no contract that mints the fee asset");
  let logs: Awaited<ReturnType<FaucetL1["send"]>> = [];
  for (const step of steps) logs = await l1.send({ from: deposit.from, ...step });
  const message = depositOf(logs, addresses.feeJuicePortalAddress);
  if (message === undefined) throw new LocalNetworkError("L1 has not recorded the deposit");
  return { amount: deposit.amount, secret: toHex(secret), secretHash: toHex(deposit.secretHash), ...message };
}
