import { getPublicEvents } from "@aztec/aztec.js/events";
import { BlockNumber, Fr } from "@aztec/aztec.js/fields";
import { deriveKeys } from "@aztec/aztec.js/keys";
import { CrowdfundingContract } from "@aztec/noir-contracts.js/Crowdfunding";
import { TokenContract } from "@aztec/noir-contracts.js/Token";
import type { Accounts } from "./accounts.ts";
import { Checks } from "./checks.ts";
import type { Session } from "./session.ts";

/** Reads private events of a token, and public events of a contract that has private state of its own. */
export async function readEvents(
  { report, node, wallet }: Session,
  { alice, bob }: Accounts,
  token: TokenContract,
): Promise<void> {
  await Checks.run(report, "events", async (checks) => {
    const from = alice;
    const { receipt } = await checks.succeeds("a private transfer", () =>
      token.methods.transfer(bob, 9n).send({ from }),
    );
    const block = receipt.blockNumber ?? BlockNumber(0);
    const transfers = await checks.succeeds("private events", () =>
      wallet.getPrivateEvents<{ from: unknown; to: unknown; amount: bigint }>(TokenContract.events.Transfer, {
        contractAddress: token.address,
        fromBlock: block,
        toBlock: BlockNumber(block + 1),
        scopes: [bob],
      }),
    );
    checks.equals(
      "events of the transfer",
      transfers.map(({ event, metadata }) => [String(event.to), event.amount, metadata.txHash.toString()]),
      [[bob.toString(), 9n, receipt.txHash.toString()]],
    );

    const secret = Fr.random();
    const { publicKeys } = await deriveKeys(secret);
    const deadline = Number((await node.getBlockHeader())?.globalVariables.timestamp) + 86_400;
    const deployment = CrowdfundingContract.deployWithPublicKeys(publicKeys, wallet, token.address, alice, deadline);
    const contractAddressSalt = Fr.random();
    const instance = await deployment.getInstance({ contractAddressSalt, deployer: alice });
    await wallet.registerContract(instance, CrowdfundingContract.artifact, secret);
    const additionalScopes = [instance.address];
    const { contract: funding } = await checks.succeeds("deploy a contract with keys", () =>
      deployment.send({ from, contractAddressSalt, additionalScopes }),
    );
    for (const amount of [11n, 22n]) {
      const payment = token.methods.transfer_in_private(alice, funding.address, amount, 0);
      const call = await payment.getFunctionCall();
      const witness = await wallet.createAuthWit(alice, { caller: funding.address, call });
      await checks.succeeds("donate", () =>
        funding.methods
          .donate(amount)
          .with({ authWitnesses: [witness] })
          .send({ from, additionalScopes }),
      );
    }
    for (const amount of [10n, 20n]) {
      await checks.succeeds("withdraw", () => funding.methods.withdraw(amount).send({ from, additionalScopes }));
    }
    const { events, maxLogsHit } = await checks.succeeds("public events", () =>
      getPublicEvents<{ who: unknown; amount: bigint }>(node, CrowdfundingContract.events.WithdrawalProcessed, {
        contractAddress: funding.address,
      }),
    );
    checks.equals(
      "events of the withdrawals",
      events.map(({ event }) => [String(event.who), BigInt(event.amount)]),
      [
        [alice.toString(), 10n],
        [alice.toString(), 20n],
      ],
    );
    checks.equals("no further logs", maxLogsHit, false);
  });
}
