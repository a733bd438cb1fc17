import { request } from "node:http";
import { expect, test } from "vitest";
import { servePage } from "../../src/devnet/page.ts";
import { freePort } from "../support/free-port.ts";

test("the page of a network shows its nodes, escaped, to requests for this machine alone", async () => {
  const port = await freePort();
  const node = { name: "validator-1", role: "validator", state: "ended", endedWith: "<1>", log: "" } as const;
  const server = await servePage(port, async () => [{ ...node, page: "http://127.0.0.1:9/ui/" }]);
  const status = (headers: Record<string, string>, path = "/", method = "GET") =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request({ port, host: "127.0.0.1", path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.once("error", reject).end();
    });
  try {
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(text).toContain("<td>ended (&lt;1&gt;)</td>");
    expect(text).toContain('<a href="http://127.0.0.1:9/ui/">page</a>');
    expect(await status({ host: "elsewhere.example" })).toBe(403);
    expect(await status({}, "/other")).toBe(404);
    expect(await status({}, "/", "POST")).toBe(405);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
