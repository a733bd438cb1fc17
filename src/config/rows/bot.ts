import { boolean, oneOf, secret, text } from "../kinds/kinds.ts";
import {
  integer,
  integerAnyBase,
  MAX_CONCURRENCY,
  MAX_COUNT,
  MAX_GAS,
  MAX_TIMER_SECONDS,
} from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { fieldElement, privateKey } from "../kinds/protocol-kinds.ts";
import { httpUrl } from "../kinds/url-kinds.ts";

const rows = rowsOf("Bot", "bot");

export const bot = {
  nodeUrl: rows.optional({
    flags: ["--proverNode.nodeUrl", "--bot.nodeUrl"],
    env: ["AZTEC_NODE_URL"],
    kind: httpUrl,
    admin: {},
    to: ["bot.nodeUrl"],
    meaning: "URL of the node's RPC",
  }),
  nodeAdminUrl: rows.optional({
    flags: ["--bot.nodeAdminUrl"],
    env: ["AZTEC_NODE_ADMIN_URL"],
    kind: httpUrl,
    to: ["bot.nodeAdminUrl"],
    meaning: "URL of the node's admin RPC",
  }),
  botL1Mnemonic: rows.optional({
    flags: ["--bot.l1Mnemonic"],
    env: ["BOT_L1_MNEMONIC"],
    kind: secret(text),
    meaning: "mnemonic of the L1 account that bridges fee juice",
    unused: true,
  }),
  botL1PrivateKey: rows.optional({
    flags: ["--bot.l1PrivateKey"],
    env: ["BOT_L1_PRIVATE_KEY"],
    kind: secret(privateKey),
    meaning: "private key of the L1 account that bridges fee juice",
    unused: true,
  }),
  botL1ToL2MessageTimeoutSeconds: rows.withDefault(
    {
      flags: ["--bot.l1ToL2MessageTimeoutSeconds"],
      env: ["BOT_L1_TO_L2_TIMEOUT_SECONDS"],
      kind: integer(0, MAX_TIMER_SECONDS),
      meaning: "seconds to wait for bridged fee juice",
      unused: true,
    },
    3600,
  ),
  botSenderPrivateKey: rows.optional({
    flags: ["--bot.senderPrivateKey"],
    env: ["BOT_PRIVATE_KEY"],
    kind: secret(fieldElement),
    meaning: "private key of the sender account",
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
      meaning: "salt of the token contract",
      unused: true,
    },
    Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)),
  ),
  botTxIntervalSeconds: rows.withDefault(
    {
      flags: ["--bot.txIntervalSeconds"],
      env: ["BOT_TX_INTERVAL_SECONDS"],
      kind: integer(0, MAX_TIMER_SECONDS),
      to: ["bot.txIntervalSeconds"],
      meaning: "seconds between txs",
    },
    60,
  ),
  botPrivateTransfersPerTx: rows.withDefault(
    {
      flags: ["--bot.privateTransfersPerTx"],
      env: ["BOT_PRIVATE_TRANSFERS_PER_TX"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["bot.privateTransfersPerTx"],
      meaning: "private transfers per tx",
    },
    1,
  ),
  botPublicTransfersPerTx: rows.withDefault(
    {
      flags: ["--bot.publicTransfersPerTx"],
      env: ["BOT_PUBLIC_TRANSFERS_PER_TX"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["bot.publicTransfersPerTx"],
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
      kind: integer(0, MAX_COUNT),
      to: ["bot.minFeePadding"],
      meaning: "the fee offered is the current minimum fee times (1 + this value)",
    },
    3,
  ),
  botNoStart: rows.withDefault(
    {
      flags: ["--bot.noStart"],
      env: ["BOT_NO_START"],
      kind: boolean,
      to: ["bot.noStart"],
      meaning: "set up the bot, but send no transfers",
    },
    false,
  ),
  botTxMinedWaitSeconds: rows.withDefault(
    {
      flags: ["--bot.txMinedWaitSeconds"],
      env: ["BOT_TX_MINED_WAIT_SECONDS"],
      kind: integer(0, MAX_TIMER_SECONDS),
      to: ["bot.txMinedWaitSeconds"],
      meaning: "seconds to wait until a tx is mined",
    },
    180,
  ),
  botFollowChain: rows.withDefault(
    {
      flags: ["--bot.followChain"],
      env: ["BOT_FOLLOW_CHAIN"],
      kind: oneOf(["NONE", "PROPOSED", "CHECKPOINTED", "PROVEN"], { PENDING: "CHECKPOINTED" }),
      to: ["bot.followChain"],
      meaning: "chain tip that must include a tx before the next one is sent; PENDING means CHECKPOINTED",
    },
    "NONE",
  ),
  botMaxPendingTxs: rows.withDefault(
    {
      flags: ["--bot.maxPendingTxs"],
      env: ["BOT_MAX_PENDING_TXS"],
      kind: integer(0, MAX_COUNT),
      to: ["bot.maxPendingTxs"],
      meaning: "send no txs while the node's pool holds this many",
    },
    128,
  ),
  botFlushSetupTransactions: rows.withDefault(
    {
      flags: ["--bot.flushSetupTransactions"],
      env: ["BOT_FLUSH_SETUP_TRANSACTIONS"],
      kind: boolean,
      to: ["bot.flushSetupTransactions"],
      meaning: "request a block after each setup tx",
    },
    false,
  ),
  botL2GasLimit: rows.optional({
    flags: ["--bot.l2GasLimit"],
    env: ["BOT_L2_GAS_LIMIT"],
    kind: integerAnyBase(0, MAX_GAS),
    to: ["bot.l2GasLimit"],
    meaning: "fixed L2 gas limit; unset means estimated",
  }),
  botDaGasLimit: rows.optional({
    flags: ["--bot.daGasLimit"],
    env: ["BOT_DA_GAS_LIMIT"],
    kind: integerAnyBase(0, MAX_GAS),
    to: ["bot.daGasLimit"],
    meaning: "fixed DA gas limit; unset means estimated",
  }),
  botContract: rows.withDefault(
    {
      flags: ["--bot.contract"],
      env: ["BOT_TOKEN_CONTRACT"],
      kind: oneOf(["TokenContract", "PrivateTokenContract"]),
      to: ["bot.contract"],
      meaning: "token contract to use",
    },
    "TokenContract",
  ),
  botMaxConsecutiveErrors: rows.withDefault(
    {
      flags: ["--bot.maxConsecutiveErrors"],
      env: ["BOT_MAX_CONSECUTIVE_ERRORS"],
      kind: integer(0, MAX_COUNT),
      to: ["bot.maxConsecutiveErrors"],
      meaning: "consecutive failures after which the bot stops, 0 for never",
    },
    0,
  ),
  botStopWhenUnhealthy: rows.withDefault(
    {
      flags: ["--bot.stopWhenUnhealthy"],
      env: ["BOT_STOP_WHEN_UNHEALTHY"],
      kind: boolean,
      to: ["bot.stopWhenUnhealthy"],
      meaning: "stop when the bot is unhealthy",
    },
    false,
  ),
  botMode: rows.withDefault(
    {
      flags: ["--bot.botMode"],
      env: ["BOT_MODE"],
      kind: oneOf(["transfer", "amm", "crosschain"]),
      to: ["bot.mode"],
      meaning: "kind of txs to send",
    },
    "transfer",
  ),
  botL2ToL1MessagesPerTx: rows.withDefault(
    {
      flags: ["--bot.l2ToL1MessagesPerTx"],
      env: ["BOT_L2_TO_L1_MESSAGES_PER_TX"],
      kind: integer(0, MAX_CONCURRENCY),
      meaning: "L2 to L1 messages per tx, in crosschain mode",
      unused: true,
    },
    1,
  ),
  botL1ToL2SeedCount: rows.withDefault(
    {
      flags: ["--bot.l1ToL2SeedCount"],
      env: ["BOT_L1_TO_L2_SEED_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      meaning: "L1 to L2 messages to send at start, in crosschain mode",
      unused: true,
    },
    1,
  ),
};
