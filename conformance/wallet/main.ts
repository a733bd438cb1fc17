/**
 * Starts a local network, uses it with the network's published wallet (accounts, contracts, fees, events, messages
 * between the chains, refusals), and prints a report.
 */
import "../quiet-library.ts";
import "../wasm-backend.ts";
import { createExtendedL1Client } from "@aztec/ethereum/client";
import { EmbeddedWallet } from "@aztec/wallets/embedded";
import { startNetwork } from "../../test/world/local-network/network-process.ts";
import { RELEASE } from "../release.ts";
import { Report } from "../report.ts";
import { createAccounts, fundedAddresses } from "./accounts.ts";
import { bridgeTokens } from "./bridge.ts";
import { CallCounts, countedNode } from "./counted-node.ts";
import { readEvents } from "./events.ts";
import { payInTokens, tokenSetupCalls } from "./fees.ts";
import { checkRefusals } from "./refusals.ts";
import type { Session } from "./session.ts";
import { useTokens } from "./tokens.ts";

const L1_MNEMONIC = "test test test test test test test test test test test junk";
/** The network uses the first accounts of the mnemonic. */
const L1_ACCOUNT = 5;

const started = Date.now();
const report = new Report();
const calls = new CallCounts();
const network = await startNetwork([], {
  PREFUND_ADDRESSES: (await fundedAddresses()).join(),
  SVC_RPC_REVERT_WORDS: RELEASE,
  ...(RELEASE === "4.1" ? {} : { TX_PUBLIC_SETUP_ALLOWLIST: await tokenSetupCalls() }),
});
try {
  const node = countedNode(network.url, calls);
  const wallet = await EmbeddedWallet.create(node, { ephemeral: true });
  const l1 = createExtendedL1Client([network.l1Url], L1_MNEMONIC, undefined, 50, L1_ACCOUNT);
  const session: Session = { report, node, wallet, l1, adminUrl: network.adminUrl };
  const accounts = await createAccounts(session);
  const token = accounts && (await useTokens(session, accounts));
  if (accounts !== undefined && token !== undefined) {
    await payInTokens(session, accounts, token);
    await readEvents(session, accounts, token);
    await bridgeTokens(session, accounts);
    await checkRefusals(session, accounts, token);
  }
  await wallet.stop();
} finally {
  network.svc.child.kill("SIGTERM");
  await network.svc.ended;
}
const seconds = Math.round((Date.now() - started) / 1000);
const steps = report.text({ each: "steps", equal: "values as they must be", refused: "refused as expected" });
process.stdout.write(`${calls.text()}\n\n${steps} in ${seconds} s\n`);
// Exit explicitly: the library's timers would keep the process alive.
process.exit(report.failed > 0 ? 1 : 0);
