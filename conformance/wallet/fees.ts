import { L1FeeJuicePortalManager } from "@aztec/aztec.js/ethereum";
import { type FeePaymentMethod, PrivateFeePaymentMethod, PublicFeePaymentMethod } from "@aztec/aztec.js/fee";
import { createLogger } from "@aztec/aztec.js/log";
import { FeeJuiceContract } from "@aztec/aztec.js/protocol";
import { getFeeJuiceBalance } from "@aztec/aztec.js/utils";
import { FPCContract } from "@aztec/noir-contracts.js/FPC";
import { TokenContract } from "@aztec/noir-contracts.js/Token";
import { FunctionSelector } from "@aztec/stdlib/abi";
import { getContractClassFromArtifact } from "@aztec/stdlib/contract";
import * as gas from "@aztec/stdlib/gas";
import type { Accounts } from "./accounts.ts";
import { Checks } from "./checks.ts";
import { messageArrives, type Session } from "./session.ts";

/** Gas settings that a wallet uses when it estimates nothing; the function has another name since 4.3. */
function gasSettings(maxFeesPerGas: gas.GasFees): gas.GasSettings {
  const { GasSettings } = gas as unknown as {
    GasSettings: Record<
      "default" | "fallback",
      ((given: { maxFeesPerGas: gas.GasFees }) => gas.GasSettings) | undefined
    >;
  };
  const make = GasSettings.fallback ?? GasSettings.default;
  if (make === undefined) throw new Error("the library has no default gas settings");
  return make.call(GasSettings, { maxFeesPerGas });
}

/**
 * Functions of the token that a fee contract calls in the setup phase, as TX_PUBLIC_SETUP_ALLOWLIST has them. A local
 * network allows those of the token of 4.1 by itself.
 */
export async function tokenSetupCalls(): Promise<string> {
  const { id } = await getContractClassFromArtifact(TokenContract.artifact);
  const entry = async (signature: string, flags: string) =>
    `C:${id}:${await FunctionSelector.fromSignature(signature)}:${flags}`;
  const increase = await entry("_increase_public_balance((Field),u128)", "os+cl=3");
  return `${increase},${await entry("transfer_in_public((Field),(Field),u128,Field)", "cl=5")}`;
}

/** Funds a fee contract from L1, and pays fees in a token through it, in public and in private. */
export async function payInTokens(session: Session, { alice, bob }: Accounts, token: TokenContract): Promise<void> {
  const { report, node, wallet, l1 } = session;
  await Checks.run(report, "fees in tokens", async (checks) => {
    const from = alice;
    const { contract: fpc } = await checks.succeeds("deploy a fee contract", () =>
      FPCContract.deploy(wallet, token.address, alice).send({ from }),
    );
    const portal = await L1FeeJuicePortalManager.new(node, l1, createLogger("portal"));
    const claim = await checks.succeeds("bridge fee juice to it", () =>
      portal.bridgeTokensPublic(fpc.address, undefined, true),
    );
    await checks.succeeds("its message arrives", () => messageArrives(session, claim.messageHash));
    await checks.succeeds("claim its fee juice", () =>
      FeeJuiceContract.at(wallet)
        .methods.claim(fpc.address, claim.claimAmount, claim.claimSecret, claim.messageLeafIndex)
        .send({ from }),
    );
    checks.equals("its fee juice", await getFeeJuiceBalance(fpc.address, node), claim.claimAmount);

    const settings = gasSettings((await node.getCurrentMinFees()).mul(2));
    const balances = async () => ({
      public: (await token.methods.balance_of_public(alice).simulate({ from })).result as bigint,
      private: (await token.methods.balance_of_private(alice).simulate({ from })).result as bigint,
    });
    const pay = async (what: "public" | "private", paymentMethod: FeePaymentMethod) => {
      const before = await balances();
      const { receipt } = await checks.succeeds(`pay in ${what}`, () =>
        token.methods
          .transfer_in_public(alice, bob, 0n, 0)
          .send({ from, fee: { paymentMethod, gasSettings: settings } }),
      );
      const after = await balances();
      const other = what === "public" ? "private" : "public";
      checks.equals(`fee in ${what}`, before[what] - after[what], receipt.transactionFee);
      checks.equals(`nothing in ${other}`, after[other], before[other]);
    };
    await pay("public", new PublicFeePaymentMethod(fpc.address, alice, wallet, settings));
    await pay("private", new PrivateFeePaymentMethod(fpc.address, alice, wallet, settings));
  });
}
