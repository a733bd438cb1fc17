import { boolean, oneOf, secret, text } from "../kinds.ts";
import { integer, integerAnyBase, MOST_AT_ONCE, MOST_COUNT, MOST_GAS, MOST_TIMER_SECONDS } from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { fieldElement, privateKey } from "../protocol-kinds.ts";
import { httpUrl } from "../url-kinds.ts";

const rows = rowsOf("Bot", "bot");

export const bot = {
  nodeUrl: rows.optional({
    flags: ["--proverNode.nodeUrl", "--bot.nodeUrl"],
    env: ["AZTEC_NODE_URL"],
    kind: httpUrl,
    meaning: "RPC of the node to use",
  }),
  nodeAdminUrl: rows.optional({
    flags: ["--bot.nodeAdminUrl"],
    env: ["AZTEC_NODE_ADMIN_URL"],
    kind: httpUrl,
    meaning: "admin RPC of the node to use",
  }),
  botL1Mnemonic: rows.optional({
    flags: ["--bot.l1Mnemonic"],
    env: ["BOT_L1_MNEMONIC"],
    kind: secret(text),
    meaning: "mnemonic of the L1 account that pays for fee juice",
    unused: true,
  }),
  botL1PrivateKey: rows.optional({
    flags: ["--bot.l1PrivateKey"],
    env: ["BOT_L1_PRIVATE_KEY"],
    kind: secret(privateKey),
    meaning: "key of the L1 account that pays for fee juice",
    unused: true,
  }),
  botL1ToL2MessageTimeoutSeconds: rows.withDefault(
    {
      flags: ["--bot.l1ToL2MessageTimeoutSeconds"],
      env: ["BOT_L1_TO_L2_TIMEOUT_SECONDS"],
      kind: integer(0, MOST_TIMER_SECONDS),
      meaning: "seconds to wait for bridged fee juice",
      unused: true,
    },
    3600,
  ),
  botSenderPrivateKey: rows.optional({
    flags: ["--bot.senderPrivateKey"],
    env: ["BOT_PRIVATE_KEY"],
    kind: secret(fieldElement),
    meaning: "key of the sender account",
    unused: true,
  }),
  botSenderSalt: rows.optional({
    flags: ["--bot.senderSalt"],
    env: ["BOT_ACCOUNT_SALT"],
    kind: fieldElement,
    meaning: "salt of the sender account",
    unused: true,
  }),
  botTokenSalt: rows.withDefault(
    {
      flags: ["--bot.tokenSalt"],
      env: ["BOT_TOKEN_SALT"],
      kind: fieldElement,
      meaning: "salt of the token",
      unused: true,
    },
    Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)),
  ),
  botTxIntervalSeconds: rows.withDefault(
    {
      flags: ["--bot.txIntervalSeconds"],
      env: ["BOT_TX_INTERVAL_SECONDS"],
      kind: integer(0, MOST_TIMER_SECONDS),
      meaning: "seconds between two txs",
    },
    60,
  ),
  botPrivateTransfersPerTx: rows.withDefault(
    {
      flags: ["--bot.privateTransfersPerTx"],
      env: ["BOT_PRIVATE_TRANSFERS_PER_TX"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "private transfers per tx",
    },
    1,
  ),
  botPublicTransfersPerTx: rows.withDefault(
    {
      flags: ["--bot.publicTransfersPerTx"],
      env: ["BOT_PUBLIC_TRANSFERS_PER_TX"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "public transfers per tx",
    },
    1,
  ),
  botFeePaymentMethod: rows.withDefault(
    {
      flags: ["--bot.feePaymentMethod"],
      env: ["BOT_FEE_PAYMENT_METHOD"],
      kind: oneOf(["fee_juice"]),
      meaning: "how fees are paid",
    },
    "fee_juice",
  ),
  botMinFeePadding: rows.withDefault(
    {
      flags: ["--bot.minFeePadding"],
      env: ["BOT_MIN_FEE_PADDING"],
      kind: integer(0, MOST_COUNT),
      meaning: "offers the current minimum fee times one plus this",
    },
    3,
  ),
  botNoStart: rows.withDefault(
    { flags: ["--bot.noStart"], env: ["BOT_NO_START"], kind: boolean, meaning: "wait to be started" },
    false,
  ),
  botTxMinedWaitSeconds: rows.withDefault(
    {
      flags: ["--bot.txMinedWaitSeconds"],
      env: ["BOT_TX_MINED_WAIT_SECONDS"],
      kind: integer(0, MOST_TIMER_SECONDS),
      meaning: "seconds to wait for inclusion",
    },
    180,
  ),
  botFollowChain: rows.withDefault(
    {
      flags: ["--bot.followChain"],
      env: ["BOT_FOLLOW_CHAIN"],
      kind: oneOf(["NONE", "PROPOSED", "CHECKPOINTED", "PROVEN"], { PENDING: "CHECKPOINTED" }),
      meaning: "tip that a tx must reach before the next; PENDING is read as CHECKPOINTED",
    },
    "NONE",
  ),
  botMaxPendingTxs: rows.withDefault(
    {
      flags: ["--bot.maxPendingTxs"],
      env: ["BOT_MAX_PENDING_TXS"],
      kind: integer(0, MOST_COUNT),
      meaning: "pause while the pool has this many txs",
    },
    128,
  ),
  botFlushSetupTransactions: rows.withDefault(
    {
      flags: ["--bot.flushSetupTransactions"],
      env: ["BOT_FLUSH_SETUP_TRANSACTIONS"],
      kind: boolean,
      meaning: "ask for a block after each setup tx",
    },
    false,
  ),
  botL2GasLimit: rows.optional({
    flags: ["--bot.l2GasLimit"],
    env: ["BOT_L2_GAS_LIMIT"],
    kind: integerAnyBase(0, MOST_GAS),
    meaning: "fixed L2 gas limit; unset estimates",
  }),
  botDaGasLimit: rows.optional({
    flags: ["--bot.daGasLimit"],
    env: ["BOT_DA_GAS_LIMIT"],
    kind: integerAnyBase(0, MOST_GAS),
    meaning: "fixed DA gas limit; unset estimates",
  }),
  botContract: rows.withDefault(
    {
      flags: ["--bot.contract"],
      env: ["BOT_TOKEN_CONTRACT"],
      kind: oneOf(["TokenContract", "PrivateTokenContract"]),
      meaning: "token contract to use",
    },
    "TokenContract",
  ),
  botMaxConsecutiveErrors: rows.withDefault(
    {
      flags: ["--bot.maxConsecutiveErrors"],
      env: ["BOT_MAX_CONSECUTIVE_ERRORS"],
      kind: integer(0, MOST_COUNT),
      meaning: "failures in a row before it stops, 0 for never",
    },
    0,
  ),
  botStopWhenUnhealthy: rows.withDefault(
    {
      flags: ["--bot.stopWhenUnhealthy"],
      env: ["BOT_STOP_WHEN_UNHEALTHY"],
      kind: boolean,
      meaning: "stop when the bot is unhealthy",
    },
    false,
  ),
  botMode: rows.withDefault(
    {
      flags: ["--bot.botMode"],
      env: ["BOT_MODE"],
      kind: oneOf(["transfer", "amm", "crosschain"]),
      meaning: "what the txs do",
    },
    "transfer",
  ),
  botL2ToL1MessagesPerTx: rows.withDefault(
    {
      flags: ["--bot.l2ToL1MessagesPerTx"],
      env: ["BOT_L2_TO_L1_MESSAGES_PER_TX"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "L2 to L1 messages per tx, in crosschain mode",
      unused: true,
    },
    1,
  ),
  botL1ToL2SeedCount: rows.withDefault(
    {
      flags: ["--bot.l1ToL2SeedCount"],
      env: ["BOT_L1_TO_L2_SEED_COUNT"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "L1 to L2 messages at the start, in crosschain mode",
      unused: true,
    },
    1,
  ),
};
