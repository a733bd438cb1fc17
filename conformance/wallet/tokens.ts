import { SetPublicAuthwitContractInteraction } from "@aztec/aztec.js/authorization";
import { BatchCall, NO_WAIT } from "@aztec/aztec.js/contracts";
import { Fr } from "@aztec/aztec.js/fields";
import { waitForTx } from "@aztec/aztec.js/node";
import { TokenContract } from "@aztec/noir-contracts.js/Token";
import { TxStatus } from "@aztec/stdlib/tx";
import type { Accounts } from "./accounts.ts";
import { Checks } from "./checks.ts";
import type { Session } from "./session.ts";

/** Enough for the fees that are paid in tokens. */
const SUPPLY = 10n ** 24n;

/** Deploys a token, moves it in each way, and gives alice SUPPLY in public and in private. */
export async function useTokens(
  { report, node, wallet }: Session,
  { alice, bob, carol, sponsored }: Accounts,
): Promise<TokenContract | undefined> {
  let deployed: TokenContract | undefined;
  await Checks.run(report, "tokens", async (checks) => {
    const from = alice;
    const { contract: token } = await checks.succeeds("deploy a token", () =>
      TokenContract.deploy(wallet, alice, "Token", "TOK", 18).send({ from }),
    );
    const metadata = await wallet.getContractMetadata(token.address);
    checks.equals("the token's instance is published", metadata.isContractPublished, true);
    const { currentContractClassId } = (await node.getContract(token.address)) ?? {};
    const classMetadata = await wallet.getContractClassMetadata(currentContractClassId ?? Fr.ZERO);
    checks.equals("the token's class is published", classMetadata.isContractClassPubliclyRegistered, true);

    const { methods } = token;
    const inPublic = async (owner = alice) => (await methods.balance_of_public(owner).simulate({ from })).result;
    const inPrivate = async (owner = alice) =>
      (await methods.balance_of_private(owner).simulate({ from: owner })).result;
    await checks.succeeds("mint in public", () => methods.mint_to_public(alice, SUPPLY).send({ from }));
    await checks.succeeds("mint in private", () => methods.mint_to_private(alice, SUPPLY).send({ from }));
    checks.equals("minted in public", await inPublic(), SUPPLY);
    checks.equals("minted in private", await inPrivate(), SUPPLY);
    checks.equals("supply", (await methods.total_supply().simulate({ from })).result, 2n * SUPPLY);

    await checks.succeeds("public transfer", () => methods.transfer_in_public(alice, bob, 100n, 0).send({ from }));
    await checks.succeeds("private transfer", () => methods.transfer(bob, 200n).send({ from }));
    await checks.succeeds("transfer to public", () => methods.transfer_to_public(alice, carol, 30n, 0).send({ from }));
    await checks.succeeds("transfer to private", () => methods.transfer_to_private(carol, 40n).send({ from }));
    checks.equals("bob's balance in public", await inPublic(bob), 100n);
    checks.equals("bob's balance in private", await inPrivate(bob), 200n);
    checks.equals("carol's balance in public", await inPublic(carol), 30n);
    checks.equals("carol's balance in private", await inPrivate(carol), 40n);

    const fromBob = methods.transfer_in_private(bob, carol, 50n, 7n);
    const witness = await wallet.createAuthWit(bob, { caller: alice, call: await fromBob.getFunctionCall() });
    await checks.succeeds("private transfer by a witness of bob", () =>
      fromBob.with({ authWitnesses: [witness] }).send({ from, additionalScopes: [bob] }),
    );
    const publicly = methods.transfer_in_public(bob, carol, 60n, 8n);
    await checks.succeeds("bob authorizes a public transfer", async () =>
      (await SetPublicAuthwitContractInteraction.create(wallet, bob, { caller: alice, action: publicly }, true)).send({
        fee: { paymentMethod: sponsored },
      }),
    );
    await checks.succeeds("public transfer that bob authorized", () => publicly.send({ from }));
    checks.equals("carol's authorized balance in private", await inPrivate(carol), 90n);
    checks.equals("carol's authorized balance in public", await inPublic(carol), 90n);

    // With one call that spends private notes: the change that a second one would spend leaves no log, and the wallet
    // of 4.3 sends nothing private any more after that ("Conflicting range for secret").
    const batch = new BatchCall(wallet, [
      methods.transfer(bob, 1n),
      methods.transfer_in_public(alice, bob, 2n, 0),
      methods.burn_public(alice, 4n, 0),
    ]);
    await checks.succeeds("several calls in one transaction", () => batch.send({ from }));
    await checks.succeeds("burn in private", () => methods.burn_private(alice, 3n, 0).send({ from }));
    checks.equals("supply after burns", (await methods.total_supply().simulate({ from })).result, 2n * SUPPLY - 7n);

    const transfer = methods.transfer_in_public(alice, bob, 5n, 0);
    const { estimatedGas } = await checks.succeeds("estimate gas", () =>
      transfer.simulate({ from, fee: { estimateGas: true } }),
    );
    await checks.succeeds("send with the estimated gas", () =>
      transfer.send({ from, fee: { gasSettings: estimatedGas } }),
    );
    await checks.succeeds("profile a private transfer", () =>
      methods.transfer(bob, 1n).profile({ from, profileMode: "execution-steps" }),
    );

    const sent = await checks.succeeds("send without waiting", () =>
      methods.transfer_in_public(alice, bob, 6n, 0).send({ from, wait: NO_WAIT }),
    );
    const receipt = await checks.succeeds("wait until it is on L1", () =>
      waitForTx(node, sent.txHash, { waitForStatus: TxStatus.CHECKPOINTED }),
    );
    checks.equals("its hash", receipt.txHash.toString(), sent.txHash.toString());
    checks.equals("its result", receipt.executionResult, "success");
    checks.equals("bob's last balance", await inPublic(bob), 53n);
    deployed = token;
  });
  return deployed;
}
