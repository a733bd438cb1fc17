import { Fr } from "@aztec/aztec.js/fields";
import { TokenContract } from "@aztec/noir-contracts.js/Token";
import { RELEASE } from "../release.ts";
import type { Accounts } from "./accounts.ts";
import { Checks } from "./checks.ts";
import type { Session } from "./session.ts";

/** What must fail, and with which words; and a transaction that is in a block reverted. */
export async function checkRefusals(
  { report, wallet }: Session,
  { alice, bob, sponsored }: Accounts,
  token: TokenContract,
): Promise<void> {
  await Checks.run(report, "refusals", async (checks) => {
    const from = alice;
    const { methods } = token;
    const balance: bigint = (await methods.balance_of_public(bob).simulate({ from })).result;
    const tooMuch = methods.transfer_in_public(bob, alice, balance + 1n, 0);
    await checks.refuses("simulate a public transfer above the balance", /subtract with overflow/, () =>
      tooMuch.simulate({ from: bob }),
    );
    await checks.refuses("a private transfer above the balance", /Balance too low/, () =>
      methods.transfer(alice, 10n ** 30n).send({ from: bob, fee: { paymentMethod: sponsored } }),
    );
    await checks.refuses("a public transfer without authorization", /unauthorized/, () =>
      methods.transfer_in_public(bob, alice, 1n, 9n).simulate({ from }),
    );
    await checks.refuses("a transaction of an account without fee juice", /balance/i, () =>
      methods.transfer_in_public(bob, alice, 1n, 0).send({ from: bob }),
    );
    const contractAddressSalt = Fr.random();
    const deployment = () => TokenContract.deploy(wallet, alice, "Again", "AGN", 18);
    await checks.succeeds("deploy another instance", () =>
      deployment().send({ from, contractAddressSalt, skipClassPublication: true }),
    );
    await checks.refuses("deploy the same instance again", /nullifier/i, () =>
      deployment().send({ from, contractAddressSalt, skipClassPublication: true }),
    );

    // Both are simulated before either is sent, and the second one then finds nothing left.
    const all = methods.transfer_in_public(bob, alice, balance, 0);
    const wait = { dontThrowOnRevert: true };
    const receipts = await checks.succeeds("two transfers of the same public balance", async () =>
      Promise.all(
        [0, 1].map(async () => (await all.send({ from: bob, fee: { paymentMethod: sponsored }, wait })).receipt),
      ),
    );
    checks.equals("one of them reverts", receipts.map(({ executionResult }) => executionResult).sort(), [
      RELEASE === "4.1" ? "app_logic_reverted" : "reverted",
      "success",
    ]);
    checks.equals("bob has nothing left", (await methods.balance_of_public(bob).simulate({ from })).result, 0n);
  });
}
