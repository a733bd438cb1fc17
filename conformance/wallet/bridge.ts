import { SetPublicAuthwitContractInteraction } from "@aztec/aztec.js/authorization";
import { waitForProven } from "@aztec/aztec.js/contracts";
import { L1TokenPortalManager } from "@aztec/aztec.js/ethereum";
import { createLogger } from "@aztec/aztec.js/log";
import { deployL1Contract } from "@aztec/ethereum/deploy-l1-contract";
import { EthAddress } from "@aztec/foundation/eth-address";
import { TestERC20Abi } from "@aztec/l1-artifacts/TestERC20Abi";
import { TestERC20Bytecode } from "@aztec/l1-artifacts/TestERC20Bytecode";
import { TokenPortalAbi } from "@aztec/l1-artifacts/TokenPortalAbi";
import { TokenPortalBytecode } from "@aztec/l1-artifacts/TokenPortalBytecode";
import { TokenContract } from "@aztec/noir-contracts.js/Token";
import { TokenBridgeContract } from "@aztec/noir-contracts.js/TokenBridge";
import { computeL2ToL1MembershipWitness } from "@aztec/stdlib/messaging";
import type { Accounts } from "./accounts.ts";
import { Checks } from "./checks.ts";
import { messageArrives, type Session } from "./session.ts";

const DEPOSITED = 1_000n;
const PUBLIC_CLAIM = 300n;
const PRIVATE_CLAIM = 400n;
const WITHDRAWN = 120n;

/** Deploys a token and its portal on L1, and moves tokens to L2, in public and in private, and back. */
export async function bridgeTokens(session: Session, { alice }: Accounts): Promise<void> {
  const { report, node, wallet, l1 } = session;
  await Checks.run(report, "bridge", async (checks) => {
    const from = alice;
    const { registryAddress, outboxAddress } = (await node.getNodeInfo()).l1ContractAddresses;
    const owner = l1.account.address;
    const { erc20, portal } = await checks.succeeds("deploy a token and a portal on L1", async () => {
      const { address: token } = await deployL1Contract(l1, TestERC20Abi, TestERC20Bytecode, ["Test", "TST", owner]);
      return { erc20: token, portal: (await deployL1Contract(l1, TokenPortalAbi, TokenPortalBytecode)).address };
    });
    const { contract: token } = await checks.succeeds("deploy the token on L2", () =>
      TokenContract.deploy(wallet, alice, "Bridged", "BRG", 18).send({ from }),
    );
    const { contract: bridge } = await checks.succeeds("deploy the bridge on L2", () =>
      TokenBridgeContract.deploy(wallet, token.address, portal).send({ from }),
    );
    await checks.succeeds("let it mint", () => token.methods.set_minter(bridge.address, true).send({ from }));
    await checks.succeeds("mint on L1 and connect the portal", async () => {
      const [minted, connected] = [
        await l1.writeContract({
          address: erc20.toString(),
          abi: TestERC20Abi,
          functionName: "mint",
          args: [owner, DEPOSITED],
        }),
        await l1.writeContract({
          address: portal.toString(),
          abi: TokenPortalAbi,
          functionName: "initialize",
          args: [registryAddress.toString(), erc20.toString(), bridge.address.toString()],
        }),
      ];
      for (const hash of [minted, connected]) await l1.waitForTransactionReceipt({ hash });
    });
    const manager = new L1TokenPortalManager(portal, erc20, undefined, outboxAddress, l1, createLogger("portal"));

    const { claimSecret, messageHash, messageLeafIndex } = await checks.succeeds("deposit in public", () =>
      manager.bridgeTokensPublic(alice, PUBLIC_CLAIM),
    );
    const hidden = await checks.succeeds("deposit in private", () => manager.bridgeTokensPrivate(alice, PRIVATE_CLAIM));
    await checks.succeeds("the messages arrive", async () => {
      for (const hash of [messageHash, hidden.messageHash]) await messageArrives(session, hash);
    });
    const claim = bridge.methods.claim_public(alice, PUBLIC_CLAIM, claimSecret, messageLeafIndex);
    await checks.succeeds("claim in public", () => claim.send({ from }));
    await checks.succeeds("claim in private", () =>
      bridge.methods.claim_private(alice, PRIVATE_CLAIM, hidden.claimSecret, hidden.messageLeafIndex).send({ from }),
    );
    await checks.refuses("claim again", /message|nullifier/i, () => claim.simulate({ from }));
    const inPublic = async () => (await token.methods.balance_of_public(alice).simulate({ from })).result;
    checks.equals("claimed in public", await inPublic(), PUBLIC_CLAIM);
    checks.equals(
      "claimed in private",
      (await token.methods.balance_of_private(alice).simulate({ from })).result,
      PRIVATE_CLAIM,
    );

    const burn = token.methods.burn_public(alice, WITHDRAWN, 5n);
    await checks.succeeds("let the bridge burn", async () =>
      (
        await SetPublicAuthwitContractInteraction.create(wallet, alice, { caller: bridge.address, action: burn }, true)
      ).send(),
    );
    const recipient = EthAddress.fromString(owner);
    const { receipt } = await checks.succeeds("exit to L1", () =>
      bridge.methods.exit_to_l1_public(recipient, WITHDRAWN, EthAddress.ZERO, 5n).send({ from }),
    );
    checks.equals("left on L2", await inPublic(), PUBLIC_CLAIM - WITHDRAWN);
    await checks.succeeds("the exit is proven", () => waitForProven(node, receipt));
    const leaf = await manager.getL2ToL1MessageLeaf(WITHDRAWN, recipient, bridge.address);
    const witness = await checks.succeeds("witness of the message", () =>
      computeL2ToL1MembershipWitness(node, leaf, receipt.txHash),
    );
    checks.equals("there is a witness", witness !== undefined, true);
    if (witness === undefined) return;
    await checks.succeeds("withdraw on L1", () =>
      manager.withdrawFunds(WITHDRAWN, recipient, witness.epochNumber, witness.leafIndex, witness.siblingPath),
    );
    checks.equals(
      "balance on L1",
      await manager.getTokenManager().getL1TokenBalance(owner),
      DEPOSITED - PUBLIC_CLAIM - PRIVATE_CLAIM + WITHDRAWN,
    );
  });
}
