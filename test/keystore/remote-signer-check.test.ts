import { expect, test, vi } from "vitest";
import type { Keystore } from "../../src/keystore/keystore.ts";
import { checkRemoteAccounts } from "../../src/keystore/remote-signer-check.ts";

const ADDRESS = `0x${"0a".repeat(20)}`;
const keystore = {
  remoteAccounts: () => [{ address: ADDRESS, signer: { url: "http://signer.example:9000/key" } }],
} as unknown as Keystore;

test("a remote signer that refuses is asked again after each pause", async () => {
  const list = vi.fn(async () => Promise.reject(new Error("refused")));
  const checked = checkRemoteAccounts(keystore, { list, waitsMs: [0, 0] });
  await expect(checked).rejects.toThrow("remote signer signer.example:9000 does not answer eth_accounts (3 attempts)");
  expect(list).toHaveBeenCalledTimes(3);
});

test("a remote signer that never answers is given up at the limit, whatever pauses are left", async () => {
  const list = vi.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    throw new Error("no answer");
  });
  const checked = checkRemoteAccounts(keystore, { list, waitsMs: Array(1_000).fill(0), limitMs: 50 });
  await expect(checked).rejects.toThrow(
    /remote signer signer.example:9000 does not answer eth_accounts \(\d attempts\)/,
  );
});
