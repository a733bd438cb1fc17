import { describe, expect, test } from "vitest";
import { bootnodeRecord } from "../../../src/cli/peers/bootnode-record.ts";
import { recordLines } from "../../../src/cli/peers/record-lines.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";

const { node, bootnode, nodeWithoutIp } = vectors.enr;
const enrArguments = [bootnode.privateKeyHex, "127.0.0.1", "40401"];

test("generate-p2p-private-key prints a key and its peer id", async () => {
  const { code, stdout, stderr } = await runSvc(["generate-p2p-private-key"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Private key: 08021220[0-9a-f]{64}\nPeer Id: 16Uiu2\w+\n$/);
});

test("generate-bootnode-enr prints the record of the network's vectors", async () => {
  const printed = { code: 0, stdout: `${bootnode.txt}\n`, stderr: "" };
  const chain = String(bootnode.l1ChainId);
  expect(await runSvc(["generate-bootnode-enr", ...enrArguments, "--l1-chain-id", chain])).toEqual(printed);
  expect(await runSvc(["generate-bootnode-enr", ...enrArguments], { L1_CHAIN_ID: chain })).toEqual(printed);
});

test("decode-enr prints the fields of a record as the reference does", async () => {
  expect((await runSvc(["decode-enr", node.txt])).stdout.split("\n")).toEqual([
    `PeerID: ${node.peerId}`,
    "IP: 127.0.0.1",
    "UDP: 40400",
    "TCP: 40400",
    `Aztec version: ${node.aztecKey}`,
    "Aztec client version 4.1.2",
    "",
  ]);
  expect(recordLines(bootnode.txt).slice(3)).toEqual([
    "TCP: undefined",
    `Aztec version: ${bootnode.aztecKey}`,
    "Aztec client version N/A",
  ]);
  expect(recordLines(nodeWithoutIp.txt)).toContain("IP: undefined");
});

test("a wrong argument ends with code 1 and one line that says what is wrong, without the key", async () => {
  const { code, stdout, stderr } = await runSvc(["generate-bootnode-enr", ...enrArguments.with(1, "boot.example")]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe('error: p2pIp must be an IPv4 address; got "boot.example"\n');
});

describe("a bootnode's record is refused", () => {
  const given = { privateKey: bootnode.privateKeyHex, ip: "127.0.0.1", port: "40401", l1ChainId: "1" };
  test.each([
    ["with a short key", { privateKey: given.privateKey.slice(2) }, "privateKey must be 08021220 and the 64 hex"],
    ["with a port that is no number", { port: "http" }, "p2pPort must be a whole decimal number"],
    ["with port 0", { port: "0" }, "this node's record must have an IPv4 address of a host, ports above 0"],
    ["with a multicast address", { ip: "224.0.0.1" }, "this node's record must have an IPv4 address of a host"],
    ["with chain id 0", { l1ChainId: "0" }, "--l1-chain-id must be a whole decimal number"],
  ])("%s", (_, change, message) => {
    const make = (): string => bootnodeRecord({ ...given, ...change });
    expect(make).toThrow(message);
    expect(make).not.toThrow("2222222222");
  });
});

test("a text that is no record is refused", () => {
  expect(() => recordLines("enr:abc")).toThrow("the record must be enr: and a signed node record in base64url");
});
