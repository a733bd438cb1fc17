import { once } from "node:events";
import net from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { parseIpNetwork } from "../../../src/http/ip-network.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { type ForwardingHeader, TrustedProxies } from "../../../src/rpc/wire/trusted-proxies.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";

const NETWORKS = ["10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48"];

function clientOf(origin: { peer: string; proxied?: string; forwarded?: string }, header?: ForwardingHeader) {
  const proxies = new TrustedProxies({ networks: NETWORKS, header: header ?? "x-forwarded-for" });
  return proxies.clientOf({ proxied: "", forwarded: "", ...origin });
}

test.each([
  ["a peer that is not trusted", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["two proxies", "10.0.0.1", "198.51.100.1, 10.2.2.2", "198.51.100.1"],
  ["what the client sent itself", "10.0.0.1", "6.6.6.6, 198.51.100.1, 10.2.2.2", "198.51.100.1"],
  ["a proxy without the header", "10.0.0.1", "", "10.0.0.1"],
  ["trusted addresses only", "10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"],
  ["an entry that is no address", "10.0.0.1", "198.51.100.1, unknown, 10.2.2.2", "10.2.2.2"],
  ["an empty entry", "10.0.0.1", "198.51.100.1,", "10.0.0.1"],
  ["a mapped peer", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a peer in long form", "0000:0000:0000:0000:0000:ffff:0a00:0001", "198.51.100.1", "198.51.100.1"],
  ["an entry with a port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
  ["IPv6", "2001:db8:ffff::1", "2001:db8::7, 2001:db8:ffff::2", "2001:db8::7"],
  ["IPv6 in brackets with a port", "2001:db8:ffff::1", "[2001:db8::7]:80", "2001:db8::7"],
  ["a peer without an address", "", "198.51.100.1", ""],
])("X-Forwarded-For: the client behind %s", (_, peer, forwarded, client) => {
  expect(clientOf({ peer, forwarded })).toBe(client);
});

test.each([
  ["a token", "for=198.51.100.1;proto=https;by=10.0.0.1", "198.51.100.1"],
  ["a quoted IPv6 address", 'For="[2001:db8::7]:4711"', "2001:db8::7"],
  ["an obfuscated name", "for=198.51.100.1, for=_hidden", "10.0.0.1"],
  ["an element without for", "for=198.51.100.1, proto=http", "10.0.0.1"],
  ["an open quote of the client", 'for="6.6.6.6, for=198.51.100.1', "198.51.100.1"],
  ["two for in one element", "for=6.6.6.6;for=198.51.100.1", "10.0.0.1"],
])("Forwarded: %s", (_, forwarded, client) => {
  expect(clientOf({ peer: "10.0.0.1", forwarded }, "forwarded")).toBe(client);
});

test("The address of a PROXY protocol header counts from trusted peers only", () => {
  expect(clientOf({ peer: "10.0.0.1", proxied: "198.51.100.1" })).toBe("198.51.100.1");
  expect(clientOf({ peer: "203.0.113.9", proxied: "198.51.100.1" })).toBe("203.0.113.9");
  expect(clientOf({ peer: "10.0.0.1", proxied: "10.0.0.9", forwarded: "198.51.100.1" })).toBe("198.51.100.1");
  expect(clientOf({ peer: "10.0.0.1", proxied: "203.0.113.9", forwarded: "198.51.100.1" })).toBe("203.0.113.9");
});

const trustedAddress = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => `10.${bytes.join(".")}`);
const otherAddress = fc.oneof(
  fc.ipV4().filter((text) => !text.startsWith("10.") && text !== "127.0.0.1"),
  fc.ipV6().filter((text) => !parseIpNetwork(text) || !/^2001:0?db8:ffff/i.test(text)),
);
/** Texts that a client can put into the header. */
const sentText = fc.string().map((text) => text.replace(/[\r\n\0]/g, ""));

test("Whatever a client sends, it cannot change which address counts as its own", () => {
  const proxies = new TrustedProxies({ networks: NETWORKS, header: "x-forwarded-for" });
  fc.assert(
    fc.property(
      otherAddress.filter((text) => !proxies.trusts(text)),
      fc.array(trustedAddress, { minLength: 1, maxLength: 4 }),
      fc.oneof(
        sentText,
        fc.array(fc.oneof(trustedAddress, otherAddress)).map((list) => list.join(", ")),
      ),
      (client, chain, sent) => {
        const [peer, ...hops] = chain.toReversed();
        const forwarded = [...(sent === "" ? [] : [sent]), client, ...hops.toReversed()].join(", ");
        expect(proxies.clientOf({ peer, proxied: "", forwarded })).toBe(client);
        expect(proxies.clientOf({ peer: client, proxied: sent, forwarded: sent })).toBe(client);
      },
    ),
  );
});

test("A quoted Forwarded header is read the same whatever a client put in front of it", () => {
  const proxies = new TrustedProxies({ networks: NETWORKS, header: "forwarded" });
  fc.assert(
    fc.property(fc.ipV4(), trustedAddress, sentText, (client, peer, sent) => {
      fc.pre(!proxies.trusts(client));
      const forwarded = `${sent}, for="${client}:80";proto=https`;
      expect(proxies.clientOf({ peer, proxied: "", forwarded })).toBe(client);
    }),
  );
});

test.each(["10.0.0.0/33", "10.0.0", "::1/129", "proxy.example", "", "10.0.0.0/-1", "fe80::1%eth0"])(
  "%j is not a network",
  (text) => {
    expect(parseIpNetwork(text)).toBeUndefined();
    expect(() => new TrustedProxies({ networks: [text], header: "forwarded" })).toThrow(RangeError);
  },
);

const adapters: [string, (application: HttpApplication, options: ListenerOptions) => Promise<Listener>][] = [
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
];

/** Says which client it sees, at once and after the body. */
const application: HttpApplication = {
  receive: (head) => {
    const first = head.client();
    return {
      maxBytes: 100,
      answer: () => ({ status: 200, headers: [], body: Buffer.from(`${first} ${head.client()}`) }),
      tooLarge: () => ({ status: 413, headers: [] }),
      timedOut: () => ({ status: 408, headers: [] }),
    };
  },
  failed: () => ({ status: 500, headers: [] }),
  plainPost: {
    maxBytes: 1,
    answer: (_body, _wishes, from) => ({ status: 200, headers: [], body: Buffer.from(`plain ${from.client()}`) }),
  },
};

describe.each(adapters)("clients behind a proxy on %s", (name, listenWith) => {
  let listener: Listener;
  afterEach(() => listener.close(0));

  async function start(networks: string[]) {
    const proxies = new TrustedProxies({ networks, header: "x-forwarded-for" });
    const timeouts = { requestTimeoutMs: 5_000, stallTimeoutMs: 5_000 };
    listener = await listenWith(application, { host: "127.0.0.1", port: 0, proxies, ...timeouts });
  }
  async function ask(lines: string[], body = "", prefix = Buffer.alloc(0)): Promise<string> {
    const socket = net.connect(listener.port, "127.0.0.1");
    const head = ["POST / HTTP/1.1", "Host: a", "Connection: close", "Content-Type: application/json", ...lines];
    const request = `${[...head, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`;
    socket.write(Buffer.concat([prefix, Buffer.from(request)]));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await once(socket, "close");
    return answer.split("\r\n\r\n")[1];
  }
  /** What a proxy sends when it adds a line of its own to the one that it was sent. */
  const LINES = ["X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 198.51.100.1"];

  test("a trusted proxy's header names the client, at the last of several lines", async () => {
    await start(["127.0.0.0/8"]);
    expect(await ask(LINES)).toBe("198.51.100.1 198.51.100.1");
    expect(await ask(LINES, "12")).toBe("198.51.100.1 198.51.100.1");
    if (name === "uWebSockets.js") expect(await ask(LINES, "1")).toBe("plain 198.51.100.1");
  });

  test("the headers of others are ignored", async () => {
    await start(["10.0.0.0/8"]);
    expect(await ask(LINES)).toMatch(/^(::ffff:)?127\.0\.0\.1 (::ffff:)?127\.0\.0\.1$/);
    if (name === "uWebSockets.js") expect(await ask(LINES, "1")).toBe("plain 127.0.0.1");
  });

  test.runIf(name === "uWebSockets.js")("the PROXY protocol names the client, from trusted proxies only", async () => {
    const addresses = Buffer.from([198, 51, 100, 1, 127, 0, 0, 1, 0x11, 0x22, 0x33, 0x44]);
    const prefix = Buffer.concat([Buffer.from("0d0a0d0a000d0a515549540a2111000c", "hex"), addresses]);
    await start(["127.0.0.1"]);
    expect(await ask([], "1", prefix)).toBe("plain 198.51.100.1");
    expect(await ask([], "12", prefix)).toBe("198.51.100.1 198.51.100.1");
    await listener.close(0);
    await start(["10.0.0.1"]);
    expect(await ask([], "1", prefix)).toBe("plain 127.0.0.1");
  });
});
