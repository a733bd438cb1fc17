import { AztecAddress } from "@aztec/aztec.js/addresses";
import { Fr } from "@aztec/aztec.js/fields";
import { waitForL1ToL2MessageReady } from "@aztec/aztec.js/messaging";
import type { createExtendedL1Client } from "@aztec/ethereum/client";
import * as clients from "@aztec/stdlib/interfaces/client";
import type { EmbeddedWallet } from "@aztec/wallets/embedded";
import { call } from "../../test/world/local-network/network-process.ts";
import { RELEASE } from "../release.ts";
import type { Report } from "../report.ts";

/** What every group of steps uses. */
export interface Session {
  report: Report;
  node: clients.AztecNode;
  wallet: EmbeddedWallet;
  l1: ReturnType<typeof createExtendedL1Client>;
  /** URL of the network's admin port. */
  adminUrl: string;
}

/** `from` of a transaction that no account sends: the zero address in 4.1, a word since 4.3. */
export const NO_ACCOUNT = RELEASE === "4.1" ? AztecAddress.ZERO : ("NO_FROM" as unknown as AztecAddress);

/** Blocks until a message from L1 can be consumed: the network mines none without transactions. */
const MESSAGE_BLOCKS = 2;
const MESSAGE_TIMEOUT_S = 60;

/** Mines a block, by the library's own client where it has one. */
async function mineBlock({ adminUrl }: Session): Promise<void> {
  const { createAztecNodeDebugClient: create } = clients as {
    createAztecNodeDebugClient?: (url: string) => { mineBlock(): Promise<void> };
  };
  await (create === undefined ? call(adminUrl, "nodeDebug_mineBlock") : create(adminUrl).mineBlock());
}

/** Resolves once a message from L1 can be consumed. */
export async function messageArrives(session: Session, hash: string): Promise<void> {
  for (let mined = 0; mined < MESSAGE_BLOCKS; mined++) await mineBlock(session);
  await waitForL1ToL2MessageReady(session.node, Fr.fromHexString(hash), { timeoutSeconds: MESSAGE_TIMEOUT_S });
}
