import { getSchnorrAccountContractAddress } from "@aztec/accounts/schnorr";
import { getInitialTestAccountsData } from "@aztec/accounts/testing";
import type { AztecAddress } from "@aztec/aztec.js/addresses";
import { L1FeeJuicePortalManager } from "@aztec/aztec.js/ethereum";
import { FeeJuicePaymentMethodWithClaim, SponsoredFeePaymentMethod } from "@aztec/aztec.js/fee";
import { Fr, GrumpkinScalar } from "@aztec/aztec.js/fields";
import { createLogger } from "@aztec/aztec.js/log";
import { getFeeJuiceBalance } from "@aztec/aztec.js/utils";
import { SponsoredFPCContract } from "@aztec/noir-contracts.js/SponsoredFPC";
import { getContractInstanceFromInstantiationParams } from "@aztec/stdlib/contract";
import { RELEASE } from "../release.ts";
import { Checks } from "./checks.ts";
import { messageArrives, NO_ACCOUNT, type Session } from "./session.ts";

const SECRET = new Fr(0x5ec2e7n);
const SIGNING_KEY = new GrumpkinScalar(0x51n);

export interface Accounts {
  /** Funded at genesis. */
  alice: AztecAddress;
  /** With an ECDSA key, and without fee juice. */
  bob: AztecAddress;
  carol: AztecAddress;
  sponsored: SponsoredFeePaymentMethod;
}

function sponsor() {
  return getContractInstanceFromInstantiationParams(SponsoredFPCContract.artifact, { salt: Fr.ZERO });
}

/** Addresses that the network has to fund at its genesis: of an account, and of the sponsored fee contract. */
export async function fundedAddresses(): Promise<string[]> {
  const alice = await getSchnorrAccountContractAddress(SECRET, Fr.ZERO, SIGNING_KEY);
  return [alice.toString(), (await sponsor()).address.toString()];
}

/** Creates accounts of each kind, and pays for them in each way that needs no token. */
export async function createAccounts(session: Session): Promise<Accounts | undefined> {
  const { report, node, wallet, l1 } = session;
  let accounts: Accounts | undefined;
  await Checks.run(report, "accounts", async (checks) => {
    const isInitialized = async (address: AztecAddress) => {
      const metadata: object = await wallet.getContractMetadata(address);
      return "initializationStatus" in metadata
        ? metadata.initializationStatus === "INITIALIZED"
        : "isContractInitialized" in metadata && metadata.isContractInitialized;
    };

    const alice = await checks.succeeds("create alice", () =>
      wallet.createSchnorrAccount(SECRET, Fr.ZERO, SIGNING_KEY, "alice"),
    );
    checks.equals("alice before", await isInitialized(alice.address), false);
    const funded = await getFeeJuiceBalance(alice.address, node);
    const deployment = await alice.getDeployMethod();
    const { receipt } = await checks.succeeds("deploy alice, who pays", () => deployment.send({ from: NO_ACCOUNT }));
    checks.equals("alice after", await isInitialized(alice.address), true);
    const left = await getFeeJuiceBalance(alice.address, node);
    checks.equals("fee of alice's deployment", funded - left, receipt.transactionFee);

    const sponsorInstance = await sponsor();
    await wallet.registerContract(sponsorInstance, SponsoredFPCContract.artifact);
    const sponsored = new SponsoredFeePaymentMethod(sponsorInstance.address);
    const bob = await wallet.createECDSAKAccount(Fr.random(), Fr.random(), Buffer.alloc(32, 0x0b), "bob");
    const ofBob = await bob.getDeployMethod();
    await checks.succeeds("deploy bob, sponsored", () =>
      ofBob.send({ from: NO_ACCOUNT, fee: { paymentMethod: sponsored } }),
    );
    checks.equals("bob after", await isInitialized(bob.address), true);
    checks.equals("bob's fee juice", await getFeeJuiceBalance(bob.address, node), 0n);

    const carol = await wallet.createECDSARAccount(Fr.random(), Fr.random(), Buffer.alloc(32, 0x0c), "carol");
    const portal = await L1FeeJuicePortalManager.new(node, l1, createLogger("portal"));
    const claim = await checks.succeeds("bridge fee juice to carol", () =>
      portal.bridgeTokensPublic(carol.address, undefined, true),
    );
    await checks.succeeds("carol's message arrives", () => messageArrives(session, claim.messageHash));
    const ofCarol = await carol.getDeployMethod();
    const { receipt: claimed } = await checks.succeeds("deploy carol, who claims fee juice", () =>
      ofCarol.send({
        from: NO_ACCOUNT,
        fee: { paymentMethod: new FeeJuicePaymentMethodWithClaim(carol.address, claim) },
      }),
    );
    checks.equals("carol after", await isInitialized(carol.address), true);
    checks.equals(
      "carol's fee juice",
      await getFeeJuiceBalance(carol.address, node),
      claim.claimAmount - (claimed.transactionFee ?? 0n),
    );
    if (RELEASE === "4.1") {
      for (const { secret, salt, signingKey, address } of await getInitialTestAccountsData()) {
        const manager = await wallet.createSchnorrAccount(secret, salt, signingKey);
        checks.equals("address of a test account", manager.address.toString(), address.toString());
        checks.equals("the set-up has made a test account", await isInitialized(address), true);
      }
    }
    checks.equals("accounts of the wallet", (await wallet.getAccounts()).length, RELEASE === "4.1" ? 6 : 3);
    accounts = { alice: alice.address, bob: bob.address, carol: carol.address, sponsored };
  });
  return accounts;
}
