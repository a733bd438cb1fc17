import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BotNode } from "../../../src/bot/bot-node.ts";
import { type BotOptions, botOptions } from "../../../src/bot/bot-options.ts";
import { BotRunner } from "../../../src/bot/bot-runner.ts";
import { BotCallError, BotRefusedError } from "../../../src/bot/errors.ts";
import { TransferBot } from "../../../src/bot/transfer-bot.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { deployedContracts } from "../../../src/protocol/tx/deployed-contracts.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { BANANA_TOKEN } from "../../../src/recorded-txs/set-up-txs.ts";
import { NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";

const log = createLogging({ filter: parseLogFilter("silent"), json: true, secrets: [] })("bot");

const VALUES = {
  txIntervalSeconds: 0,
  privateTransfersPerTx: 1,
  publicTransfersPerTx: 0,
  minFeePadding: 3,
  noStart: false,
  txMinedWaitSeconds: 1,
  followChain: "NONE",
  maxPendingTxs: 128,
  flushSetupTransactions: false,
  l2GasLimit: undefined,
  daGasLimit: undefined,
  maxConsecutiveErrors: 0,
  stopWhenUnhealthy: false,
  mode: "transfer",
  contract: "TokenContract",
  nodeAdminUrl: undefined,
  nodeUrl: undefined,
} satisfies Parameters<typeof botOptions>[0];

const OPTIONS = botOptions(VALUES);

describe("bot options", () => {
  test.each<[Partial<Parameters<typeof botOptions>[0]>, string]>([
    [{ mode: "amm" }, "BOT_MODE must be transfer"],
    [{ contract: "PrivateTokenContract" }, "BOT_TOKEN_CONTRACT must be TokenContract"],
    [{ privateTransfersPerTx: 0 }, "must not both be 0"],
    [{ flushSetupTransactions: true }, "needs the node's admin URL"],
  ])("bot options %o are refused", (changed, message) => {
    expect(() => botOptions({ ...VALUES, ...changed })).toThrow(BotRefusedError);
    expect(() => botOptions({ ...VALUES, ...changed })).toThrow(message);
  });

  test("bot gas limits take effect only when both are set", () => {
    expect(botOptions({ ...VALUES, l2GasLimit: 5 }).l2GasLimit).toBeUndefined();
    expect(botOptions({ ...VALUES, l2GasLimit: 5, daGasLimit: 6 })).toMatchObject({
      l2GasLimit: 5,
      daGasLimit: 6,
    });
  });
});

describe("bot runner", () => {
  let running: BotRunner | undefined;
  afterEach(() => running?.stop());

  /** Runs the bot for `until` turns. */
  async function run(
    options: Partial<BotOptions>,
    send: (turn: number) => Promise<void>,
    pending: (turn: number) => number,
    until: number,
  ) {
    const calls = { sent: 0, asked: 0, gaveUp: 0 };
    let done: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      done = resolve;
    });
    running = new BotRunner(
      {
        bot: {
          setUp: async () => undefined,
          sendOne: async () => {
            await send(++calls.sent);
            return new Uint8Array(32);
          },
        },
        node: {
          pendingCount: async () => {
            if (++calls.asked === until) done();
            return pending(calls.asked);
          },
        },
        options: { ...OPTIONS, ...options },
        log,
        giveUp: () => void calls.gaveUp++,
      },
      new AbortController(),
    );
    await running.start();
    await over;
    await running.stop();
    return { ...calls, healthy: running.healthy };
  }

  test("the bot sends while the node has room, and waits otherwise", async () => {
    const { sent } = await run(
      { maxPendingTxs: 10 },
      async () => undefined,
      (turn) => (turn % 2 === 0 ? 10 : 9),
      6,
    );
    expect(sent).toBe(3);
  });

  test("the bot is unhealthy after a number of errors in a row, and then gives up if configured to", async () => {
    const fails = async () => {
      throw new Error("no");
    };
    const options = { maxConsecutiveErrors: 3, stopWhenUnhealthy: true };
    const three = await run(options, fails, () => 0, 4);
    expect(three).toMatchObject({ healthy: false });
    expect(three.gaveUp).toBeGreaterThan(0);
    const mends = async (turn: number) => {
      if (turn % 3 !== 0) throw new Error("no");
    };
    expect(await run(options, mends, () => 0, 9)).toMatchObject({ healthy: true, gaveUp: 0 });
    expect(await run({ ...options, maxConsecutiveErrors: 0 }, fails, () => 0, 5)).toMatchObject({
      healthy: true,
      gaveUp: 0,
    });
  });
});

test("the bot refuses a node that checks proofs", async () => {
  const server = createServer((_, response) => {
    response.end(
      JSON.stringify({ jsonrpc: "2.0", id: 1, result: { l1ChainId: 1, rollupVersion: 1, realProofs: true } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { signal } = new AbortController();
    const node = new BotNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined, signal);
    const bot = new TransferBot({ core: loadCore(), node, options: OPTIONS, log, signal });
    await expect(bot.setUp()).rejects.toThrow(BotRefusedError);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

describe("bot against a node over the recorded chain", () => {
  const { signal } = new AbortController();
  let l1: RecordedL1;
  let recorded: NodeProcess;
  let node: BotNode;
  beforeAll(async () => {
    l1 = await startRecordedL1();
    recorded = await NodeProcess.start(l1);
    await recorded.ready();
    node = new BotNode(recorded.url, undefined, signal);
  }, 180_000);
  afterAll(async () => {
    await recorded?.remove();
    l1?.stop();
  });

  test("transactions of the bot are accepted and pending", async () => {
    const bot = new TransferBot({ core: loadCore(), node, options: OPTIONS, log, signal });
    await bot.setUp();
    const hashes = [await bot.sendOne(), await bot.sendOne()];
    expect(await node.pendingCount()).toBe(2);
    for (const hash of hashes) expect(await node.receipt(hash)).toMatchObject({ status: "pending" });
  });

  /** The node, but with another answer to the sending of a tx, on a chain where the token is not there yet. */
  const withoutToken = (send: (tx: Tx) => Promise<void>, deployed = () => false): BotNode =>
    Object.assign(Object.create(node) as BotNode, {
      network: () => node.network(),
      header: () => node.header(),
      minFees: () => node.minFees(),
      hasContract: async () => deployed(),
      send: (_hash: Uint8Array, tx: Tx) => send(tx),
      receipt: async () => ({ status: "proposed", executionResult: "success", blockNumber: 1 }),
    });
  const botWith = (other: BotNode) => new TransferBot({ core: loadCore(), node: other, options: OPTIONS, log, signal });

  test("a bot on a network without the token deploys it, and not its fee contract", async () => {
    const sent: Tx[] = [];
    const other = withoutToken(
      async (tx) => void sent.push(tx),
      () => sent.length > 0,
    );
    await botWith(other).setUp();
    expect(sent.flatMap(({ data }) => deployedContracts(data, V4.contracts)).map(toHex)).toEqual([BANANA_TOKEN]);
  });

  test.each([
    ["Existing nullifier", true],
    ["Insufficient fee payer balance", true],
    ["Insufficient fee per gas", false],
  ])("a set-up that the node refuses for %s stops with the reason if it lasts (%s)", async (reason, lasts) => {
    const refused = async () => {
      throw new BotCallError("node_sendTx", 200, `Invalid tx: ${reason}`);
    };
    const failure = botWith(withoutToken(refused)).setUp();
    await expect(failure).rejects.toThrow(lasts ? BotRefusedError : BotCallError);
    await expect(failure).rejects.toThrow(reason);
  });

  test("a set-up stops with the reason when the token is not there after its tx was mined", async () => {
    await expect(botWith(withoutToken(async () => {})).setUp()).rejects.toThrow(
      /in a block, but the token is not there/,
    );
  });

  test("a transaction that no block includes ends in an error", async () => {
    const options = botOptions({ ...VALUES, followChain: "PROPOSED" });
    const bot = new TransferBot({ core: loadCore(), node, options, log, signal });
    await bot.setUp();
    await expect(bot.sendOne()).rejects.toThrow(/is pending after \d+ ms, proposed was waited for/);
  });

  test("a transaction that the node refuses fails with the node's reason", async () => {
    const options = { ...OPTIONS, l2GasLimit: 1, daGasLimit: 1 };
    const bot = new TransferBot({ core: loadCore(), node, options, log, signal });
    await bot.setUp();
    await expect(bot.sendOne()).rejects.toThrow(BotCallError);
    await expect(bot.sendOne()).rejects.toThrow("Gas limit is below the minimum fixed cost");
  });
});
