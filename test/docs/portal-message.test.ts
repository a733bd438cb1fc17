import { readFileSync } from "node:fs";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { expect, test } from "vitest";
import { bigUintBytes, concat, fromHex, toHex } from "../../src/protocol/bytes.ts";
import { messageLeaf } from "../../src/protocol/l1-to-l2-message.ts";
import { shaField } from "../../src/protocol/sha-field.ts";

/** The formulas of docs/protocol/04-l1-contracts.md#415-fee-juice-portal, implemented from the document alone. */

interface Deposit {
  kind: string;
  to: string;
  amount: string;
  secretHash: string;
}

const { scenario } = JSON.parse(readFileSync(new URL("../fixtures/vectors/l1.json", import.meta.url), "utf8"));
const { messages, events }: { messages: Deposit[]; events: { index: string | number; leaf: string }[] } =
  scenario.l1ToL2;
const word = (value: number | string) => bigUintBytes(BigInt(value), 32);

test("a deposit of fee juice sends the message that the document describes", () => {
  const deposits = messages.flatMap((message, i) => (message.kind === "feeJuicePortal" ? [{ message, i }] : []));
  expect(deposits.length).toBeGreaterThan(0);
  const selector = keccak_256(new TextEncoder().encode("claim(bytes32,uint256)")).subarray(0, 4);
  for (const { message, i } of deposits) {
    const leaf = messageLeaf({
      sender: word(5),
      senderChainId: word(scenario.constants.chainId),
      recipient: word(5),
      recipientVersion: word(scenario.constants.version),
      content: shaField(concat(selector, fromHex(message.to), word(message.amount))),
      secretHash: fromHex(message.secretHash),
      index: word(events[i].index),
    });
    expect(toHex(leaf)).toBe(events[i].leaf);
  }
});
