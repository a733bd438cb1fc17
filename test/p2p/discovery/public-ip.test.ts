import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { PublicAddressError } from "../../../src/p2p/discovery/errors.ts";
import { queryPublicIp } from "../../../src/p2p/discovery/public-ip.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("takes the address that the service sees", async () => {
  const url = await service((_, response) => void response.end("203.0.113.7\n"));
  expect(await queryPublicIp(undefined, url)).toBe("203.0.113.7");
});

test.each<[string, RequestListener, string]>([
  ["an IPv6 address", (_, r) => void r.end("2001:db8::1"), "does not answer with an IPv4 address"],
  ["a page", (_, r) => void r.end("<html>"), "does not answer with an IPv4 address"],
  ["an error status", (_, r) => void r.writeHead(503).end("203.0.113.7"), "answers with HTTP 503"],
  ["more than an address", (_, r) => void r.end("1".repeat(300)), "longer than 256 bytes"],
  ["nothing", (_, r) => void r.destroy(), "cannot be reached"],
])("refuses %s and says what to set instead", async (_, answer, reason) => {
  const query = queryPublicIp(undefined, await service(answer));
  await expect(query).rejects.toThrow(PublicAddressError);
  await expect(query).rejects.toThrow(reason);
  await expect(query).rejects.toThrow("set P2P_IP to this node's public IPv4 address");
});

test("gives up on a service that drips its answer, and at the end of the start", async () => {
  const url = await service((_, response) => void response.write("203.0."));
  await expect(queryPublicIp(undefined, url, 200)).rejects.toThrow("no complete answer within 200 ms");
  await expect(queryPublicIp(AbortSignal.abort(), url)).rejects.toThrow("stopped by the caller");
});
