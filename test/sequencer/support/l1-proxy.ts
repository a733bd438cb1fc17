import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type ProxyRule = "pass" | "swallow" | "forward silently";

export interface L1Proxy {
  url: string;
  /** Decides what happens to a request with these methods: the request or its response is lost, or neither. */
  rule: (methods: string[]) => ProxyRule;
  stop(): Promise<void>;
}

/** A JSON-RPC proxy in front of L1 that drops requests or responses. */
export async function startL1Proxy(target: string): Promise<L1Proxy> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const calls: unknown = JSON.parse(body.toString("utf8"));
    const methods = (Array.isArray(calls) ? calls : [calls]).map((call: { method: string }) => call.method);
    const rule = proxy.rule(methods);
    if (rule === "swallow") return;
    const answer = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await answer.text();
    if (rule === "forward silently") return;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: L1Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rule: () => "pass",
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
