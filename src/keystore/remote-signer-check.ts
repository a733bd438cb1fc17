import { setTimeout as sleep } from "node:timers/promises";
import { wholeExchange } from "../http/exchange.ts";
import { parseJson } from "../json/parse-json.ts";
import { KeystoreError, type KeystoreIssue } from "./errors.ts";
import type { Keystore } from "./keystore.ts";

/** Lists the accounts of a remote signer: lower-case 0x text. */
export type ListRemoteAccounts = (url: string) => Promise<string[]>;

/** Pauses between attempts, in milliseconds (docs/protocol/08-building-and-checkpoints.md#827-remote-signers). */
const RETRY_WAITS_MS = [1000, 2000, 4000, 8000, 16_000];
const REQUEST_LIMIT_MS = 10_000;
/** No attempt begins later: a signer that accepts and never answers delays the start by half a minute. */
const ATTEMPTS_LIMIT_MS = 32_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Calls eth_accounts of a remote signer. Rejects when it does not answer with a list. */
const listRemoteAccounts: ListRemoteAccounts = async (url) => {
  const { status, body } = await wholeExchange(
    {
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_accounts", params: [] }),
    },
    { totalMs: REQUEST_LIMIT_MS, maxBytes: MAX_ANSWER_BYTES },
  );
  const answer = parseJson(body);
  const accounts = typeof answer === "object" && answer !== null && "result" in answer ? answer.result : undefined;
  if (!Array.isArray(accounts)) throw new TypeError(`eth_accounts answered with status ${status} and no list`);
  return accounts.map((account) => String(account).toLowerCase());
};

/**
 * Checks that each remote signer holds its accounts. A signer that does not answer is asked again. Throws
 * KeystoreError, which names only the host of a signer's URL.
 */
export async function checkRemoteAccounts(
  keystore: Keystore,
  {
    list = listRemoteAccounts,
    waitsMs = RETRY_WAITS_MS,
    limitMs = ATTEMPTS_LIMIT_MS,
  }: { list?: ListRemoteAccounts; waitsMs?: readonly number[]; limitMs?: number } = {},
): Promise<void> {
  const byUrl = new Map<string, Set<string>>();
  for (const { address, signer } of keystore.remoteAccounts()) {
    byUrl.set(signer.url, (byUrl.get(signer.url) ?? new Set()).add(address));
  }
  const checked = await Promise.all(
    [...byUrl].map(([url, addresses]) => missing(url, addresses, { list, waitsMs, limitMs })),
  );
  const issues = checked.flat();
  if (issues.length > 0) throw new KeystoreError(issues);
}

async function missing(
  url: string,
  addresses: Set<string>,
  { list, waitsMs, limitMs }: { list: ListRemoteAccounts; waitsMs: readonly number[]; limitMs: number },
): Promise<KeystoreIssue[]> {
  const field = `remote signer ${new URL(url).host}`;
  const end = performance.now() + limitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      const held = new Set(await list(url));
      return [...addresses].filter((a) => !held.has(a)).map((a) => ({ field, rule: `does not hold the key of ${a}` }));
    } catch {
      const isLast = attempt >= waitsMs.length || performance.now() + waitsMs[attempt] > end;
      if (isLast) return [{ field, rule: `does not answer eth_accounts (${attempt + 1} attempts)` }];
      await sleep(waitsMs[attempt]);
    }
  }
}
