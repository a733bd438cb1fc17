/** Calls a method of the node at `url`; undefined if there is no result. */
async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown };
  return answer.result;
}

function curl(url: string, method: string, params: unknown[]): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}

/** A nullifier that is not on the chain, so that its witness is that of the low leaf. */
const ABSENT_NULLIFIER = `0x${"12".repeat(32)}`;

/** Example requests for the demo's node, with values of its chain. */
export async function requestsToTry(url: string, page: string): Promise<string> {
  const block = Number(await ask(url, "node_getBlockNumber", []));
  return [
    `The node is synced: block ${block}, and it keeps following. Try:`,
    "",
    `  ${curl(url, "node_getBlockNumber", [])}`,
    `  ${curl(url, "node_getBlockHeader", [block])}`,
    `  ${curl(url, "node_getLowNullifierMembershipWitness", [block, ABSENT_NULLIFIER])}`,
    "",
    `Its page, which asks for the admin API key: ${page}`,
    "Ctrl-C stops the node and its L1.",
    "",
  ].join("\n");
}
