import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFunctionData, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { runDocumentedCalls } from "../../world/docs/documented-commands.ts";
import { startAnvil } from "../../world/l1/chain-a.ts";
import { call, isRunning, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { BANANA_FEES, messageTx } from "../support/local-txs.ts";

/** Account 0 of the usual mnemonic. */
const DEPLOYER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const START_LIMIT_MS = 180_000;
const ACCOUNTS = [
  "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
  "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
  "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
];
const BANANA_TOKEN = "0x1a9dad3d9b9d55021a8ce457225fa3f89d413c05da170fdad413a74aefee2705";
const ACCOUNT_CLASS = "0x010319cf7faafaab5cbe684f2556e379a22539a8de18b35d290a85f30057bf02";

let folder: string;
let network: Network;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-local-network-test-"));
  network = await startNetwork(["--data-directory", join(folder, "data")]);
}, START_LIMIT_MS);

afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);
const askL1 = <T>(method: string, ...params: unknown[]) => call<T>(network.l1Url, method, ...params);

interface Info {
  rollupVersion: number;
  l1ContractAddresses: { rollupAddress: string; outboxAddress: string };
}
interface Receipt {
  status: string;
  blockNumber?: number;
}
interface Tips {
  proposed: { number: number; hash: string };
  proven: { block: { number: number } };
}

async function freshTx() {
  return messageTx((await ask<Info>("node_getNodeInfo")).rollupVersion);
}

async function mined(hash: string): Promise<Receipt & { blockNumber: number }> {
  const receipt = async () => await ask<Receipt>("node_getTxReceipt", hash);
  await expect.poll(async () => (await receipt()).blockNumber, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
  return (await receipt()) as Receipt & { blockNumber: number };
}

test("blocks 1 to 4 of a local network hold the set-up, with contracts at the usual addresses", async () => {
  const info = await ask<Info>("node_getNodeInfo");
  expect(info).toMatchObject({
    rollupVersion: 344372055,
    realProofs: false,
    l1ContractAddresses: { rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44" },
  });
  expect((await ask<Tips>("node_getL2Tips")).proposed.number).toBe(4);
  const blocks = await ask<{ body: { txEffects: unknown[] }; header: { globalVariables: { coinbase: string } } }[]>(
    "node_getBlocks",
    1,
    4,
  );
  expect(blocks.map(({ body }) => body.txEffects.length)).toEqual([1, 1, 1, 2]);
  expect(blocks[0].header.globalVariables.coinbase).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
  expect(await ask("node_getContractClass", ACCOUNT_CLASS)).toMatchObject({ id: ACCOUNT_CLASS });
  const classes = {
    [BANANA_TOKEN]: "0x01efe16b55107894e6b6fb63cebc1a3233e23bbcd648fd9cdf6c0351749ce7ee",
    [BANANA_FEES]: "0x0023708ab948a72bd149503b10adc5b2bbe39579c6d857b248137d54784165e9",
  };
  for (const [address, classId] of Object.entries(classes)) {
    expect(await ask("node_getContract", address)).toMatchObject({ address, currentContractClassId: classId });
  }
  // Account contracts are not published.
  expect(await ask("node_getContract", ACCOUNTS[0])).toBeNull();
  expect(await ask<unknown[]>("node_getAllowedPublicSetup")).toHaveLength(5);
});

test("a local network serves both namespaces and prints its accounts, contracts and rollup version", async () => {
  expect(await ask("svc_getBlockNumber")).toBe(await ask("node_getBlockNumber"));
  const { stdout } = network.svc.output;
  for (const text of [...ACCOUNTS, BANANA_TOKEN, BANANA_FEES, "344372055"]) expect(stdout).toContain(text);
  expect(network.svc.output.stderr).toContain("proofs are off");
});

test("a tx with a message to L1 is mined at once, its epoch is settled, and the message is consumed", async () => {
  const { json, hash, message } = await freshTx();
  await ask("node_sendTx", json);
  const { blockNumber } = await mined(hash);
  await expect
    .poll(async () => (await ask<Tips>("node_getL2Tips")).proven.block.number, { timeout: 120_000, interval: 100 })
    .toBeGreaterThanOrEqual(blockNumber);

  const { rollupVersion, l1ContractAddresses } = await ask<Info>("node_getNodeInfo");
  const { data } = await ask<{ data: { l2ToL1Msgs: string[] } }>("node_getTxEffect", hash);
  const witness = await ask<{ epochNumber: number; leafIndex: string; siblingPath: string }>(
    "svc_getL2ToL1MembershipWitness",
    hash,
    data.l2ToL1Msgs[0],
  );
  const path = Buffer.from(witness.siblingPath, "base64");
  const nodes = Array.from({ length: path.readUInt32BE(0) }, (_, i) =>
    toHex(path.subarray(4 + 32 * i, 36 + 32 * i)),
  ) as `0x${string}`[];
  const recipient = toHex(message.recipient) as `0x${string}`;
  const input = encodeFunctionData({
    abi: parseAbi([
      "struct L2Actor { bytes32 actor; uint256 version; }",
      "struct L1Actor { address actor; uint256 chainId; }",
      "struct L2ToL1Msg { L2Actor sender; L1Actor recipient; bytes32 content; }",
      "function consume(L2ToL1Msg message, uint256 epoch, uint256 leafIndex, bytes32[] path)",
    ]),
    args: [
      {
        sender: { actor: toHex(message.contractAddress) as `0x${string}`, version: BigInt(rollupVersion) },
        recipient: { actor: recipient, chainId: 31337n },
        content: toHex(message.content) as `0x${string}`,
      },
      BigInt(witness.epochNumber),
      BigInt(witness.leafIndex),
      nodes,
    ],
  });
  const consume = { from: recipient, to: l1ContractAddresses.outboxAddress, data: input };
  const l1Hash = await askL1<string>("eth_sendTransaction", consume);
  await expect
    .poll(() => askL1("eth_getTransactionReceipt", l1Hash), { timeout: 120_000, interval: 50 })
    .toMatchObject({ status: "0x1" });
  await expect(askL1("eth_call", consume, "latest")).rejects.toThrow(/revert/);
}, 240_000);

test("killing a local network ends its L1 too, and the next start continues both", async () => {
  const before = await ask<Tips>("node_getL2Tips");
  const l1Before = Number(await askL1<string>("eth_blockNumber"));
  network.svc.child.kill("SIGKILL");
  await network.svc.ended;
  await expect.poll(() => askL1("eth_blockNumber").catch(() => "gone"), { timeout: 120_000 }).toBe("gone");

  network = await startNetwork(["--data-directory", join(folder, "data")]);
  expect((await ask<Tips>("node_getL2Tips")).proposed).toEqual(before.proposed);
  expect(Number(await askL1<string>("eth_blockNumber"))).toBeGreaterThanOrEqual(l1Before);
  const { json, hash } = await freshTx();
  await ask("node_sendTx", json);
  expect((await mined(hash)).blockNumber).toBe(before.proposed.number + 1);
}, 300_000);

/** Documents with calls, and the methods whose part this network does not have. */
const CALLED = [
  ["docs/operations.md", []],
  ["docs/proving.md", ["prover_getJobs"]],
] as const;

test.each(CALLED)("the calls of %s get an answer", async (file, absent) => {
  const ports = { 8080: new URL(network.url).port, 8880: new URL(network.adminUrl).port };
  const runs = await runDocumentedCalls(file, ports);
  expect(runs).not.toEqual([]);
  const answers = runs.flatMap(({ printed }) => printed.split("\n").map((line) => JSON.parse(line)));
  for (const { error, ...answer } of answers) {
    if (error === undefined) expect(answer).toSatisfy((one) => "result" in one || "ready" in one);
    else expect(absent.map((method) => `Method not found: ${method}`)).toContain(error.message);
  }
});

describe("wrong input of a local network", () => {
  test("a busy port is refused before anything is deployed", async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, "127.0.0.1", () => resolve((blocker.address() as { port: number }).port));
    });
    try {
      const args = ["start", "--local-network", "--local-network.l1Port", "0", "--port", String(port)];
      const { code, stderr } = await runSvc(args);
      expect(code).toBe(1);
      expect(stderr).toContain(`cannot listen on 127.0.0.1 port ${port}`);
      const l1 = await runSvc(["start", "--local-network", "--port", "0", "--local-network.l1Port", String(port)]);
      expect(l1).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port}`) });
    } finally {
      blocker.close();
    }
  });

  test("an L1 with another chain id, or that is not a development chain, is refused", async () => {
    const given = ["start", "--local-network", "--port", "0", "--l1-rpc-urls", network.l1Url];
    const { code, stderr } = await runSvc([...given, "--l1-chain-id", "5"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/chain/);
    const two = await runSvc([...given.slice(0, -1), `${network.l1Url},http://127.0.0.1:1`]);
    expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining("takes one URL") });
  });

  test("an invalid mnemonic is refused", async () => {
    const { code, stderr } = await runSvc([
      ...["start", "--local-network", "--port", "0", "--local-network.l1Port", "0"],
      ...["--local-network.l1Mnemonic", "one two three"],
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("mnemonic");
    expect(stderr).not.toContain("one two three");
  });
});

test("on a given L1 a local network deploys its own contracts and leaves that L1 running", async () => {
  const l1 = await startAnvil(["--chain-id", "31337"]);
  try {
    const onL1 = <T>(method: string, ...params: unknown[]) => call<T>(l1.url, method, ...params);
    // Changes the deployer's nonce and thereby the contract addresses.
    await onL1("eth_sendTransaction", { from: DEPLOYER, to: DEPLOYER, value: "0x1" });
    const second = await startNetwork(["--l1-rpc-urls", l1.url]);
    const info = await call<Info>(second.url, "node_getNodeInfo");
    const { rollupAddress } = info.l1ContractAddresses;
    expect(rollupAddress).not.toBe((await ask<Info>("node_getNodeInfo")).l1ContractAddresses.rollupAddress);
    expect(await onL1<string>("eth_getCode", rollupAddress, "latest")).toMatch(/^0x[0-9a-f]{100}/);
    expect((await call<Tips>(second.url, "node_getL2Tips")).proposed.number).toBe(4);
    expect(await call(second.url, "node_getContract", BANANA_FEES)).toMatchObject({ address: BANANA_FEES });
    second.svc.child.kill("SIGINT");
    expect((await second.svc.ended).code).toBe(130);
    expect(isRunning(second.svc.child.pid ?? 0)).toBe(false);
    expect(Number(await onL1<string>("eth_blockNumber"))).toBeGreaterThan(0);
  } finally {
    await l1.stop();
  }
}, 240_000);
