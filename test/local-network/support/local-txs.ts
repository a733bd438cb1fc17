import { randomBytes } from "node:crypto";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import type { BlockHeader } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { isForPublic, privateAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { withFreshEffects, withTerms } from "../../../src/protocol/tx/template.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

export const BANANA_FEES = "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a";

const core = loadCore();
const GENESIS = genesisState(
  core,
  genesisContent(
    V4,
    genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [fromHex(BANANA_FEES)] }, V4),
  ),
);
const random = () => fr(BigInt(toHex(randomBytes(30))));

/**
 * A recorded private transaction that sends one message to L1, changed to belong to a local network and anchored on one
 * of its blocks, by default genesis. Its proof is not valid.
 */
export function messageTx(rollupVersion: number, anchor: BlockHeader = GENESIS.header) {
  const found = recordedTxs().find(
    ({ tx }) => !isForPublic(tx.data) && privateAccumulatedData(tx.data).l2ToL1Msgs.length === 1,
  );
  if (found === undefined) throw new Error("the recording has a private tx with a message to L1");
  const terms = {
    anchor,
    chainId: fr(31337),
    version: fr(rollupVersion),
    expirationTimestamp: 2n ** 40n,
    maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 10n ** 14n },
  };
  const tx = withFreshEffects(withTerms(found.tx, terms), random);
  const hash = toHex(txHash(core, tx.data));
  const [message] = privateAccumulatedData(tx.data).l2ToL1Msgs;
  return { json: { ...found.json, data: Buffer.from(tx.data).toString("base64"), txHash: hash }, hash, message };
}
