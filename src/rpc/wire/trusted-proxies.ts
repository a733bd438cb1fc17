import { BlockList, isIP, isIPv4 } from "node:net";
import { parseIpNetwork } from "../../http/ip-network.ts";

/** The header in which proxies name the client; only one is read, since a proxy passes on the others unchanged. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded"] as const;
export type ForwardingHeader = (typeof FORWARDING_HEADERS)[number];

/** Plain data: it crosses threads. */
export interface TrustedProxySettings {
  /** Networks in CIDR notation, or addresses. */
  readonly networks: readonly string[];
  readonly header: ForwardingHeader;
}

/** What a request says about where it came from. */
interface RequestOrigin {
  /** Address of the connection's other end. */
  readonly peer: string;
  /** Address of the client in the PROXY protocol header of the connection, "" without one. */
  readonly proxied: string;
  /** All lines of the forwarding header, joined by commas. */
  readonly forwarded: string;
}

/** Peers whose trust is remembered; a proxy has few addresses. */
const MAX_REMEMBERED = 1024;

/**
 * Tells which client is behind the proxies that are trusted. Every proxy adds the address that it was asked from at the
 * right end of the header, so the list is walked from there: the first address that is no trusted proxy is the client.
 * What stands left of it may be anything that the client sent. An entry that is not an address ends the walk at the
 * proxy that wrote it.
 */
export class TrustedProxies {
  readonly header: ForwardingHeader;
  readonly #networks = new BlockList();
  readonly #known = new Map<string, boolean>();

  /** Throws a RangeError for a network that is none. */
  constructor({ networks, header }: TrustedProxySettings) {
    this.header = header;
    for (const text of networks) {
      const network = parseIpNetwork(text);
      if (network === undefined) throw new RangeError(`${text} is not a network`);
      this.#networks.addSubnet(network.address, network.prefix, network.family);
    }
  }

  /** Takes any text form; text that is not an address is not trusted. */
  trusts(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const plain = address.replace(/%.*$/, "");
    const version = isIP(plain);
    const trusted = version !== 0 && this.#networks.check(plain, version === 4 ? "ipv4" : "ipv6");
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(address, trusted);
    return trusted;
  }

  /** Address of the client. */
  clientOf({ peer, proxied, forwarded }: RequestOrigin): string {
    let hop = peer;
    if (!this.trusts(hop)) return hop;
    if (proxied !== "") hop = proxied;
    for (const entry of entriesFromRight(forwarded)) {
      if (!this.trusts(hop)) return hop;
      const address = addressOf(this.header === "forwarded" ? forOf(entry) : entry);
      if (address === undefined) return hop;
      hop = address;
    }
    return hop;
  }
}

/**
 * The entries of a comma list from its right end. Commas in quotes do not separate; quotes are matched from the right,
 * so that an unmatched one on the left, which a client may have sent, cannot swallow what a proxy added.
 */
function* entriesFromRight(list: string): Generator<string> {
  let end = list.length;
  let quoted = false;
  for (let i = list.length - 1; i >= 0; i--) {
    const code = list.charCodeAt(i);
    if (code === 0x22) quoted = !quoted;
    else if (code === 0x2c && !quoted) {
      yield list.slice(i + 1, end).trim();
      end = i;
    }
  }
  const first = list.slice(0, end).trim();
  if (first !== "" || end < list.length) yield first;
}

/** The parameter `for` of an element of Forwarded (RFC 7239 section 4), "" without one or with several. */
function forOf(element: string): string {
  const found = element.split(";").flatMap((pair) => {
    const [, quoted, token] = /^\s*for=(?:"([^"\\]*)"|([^\s"]*))\s*$/i.exec(pair) ?? [];
    return quoted ?? token ?? [];
  });
  return found.length === 1 ? found[0] : "";
}

/** The address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`. */
function addressOf(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const [, inBrackets, withPort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/.exec(text) ?? [];
  const address = inBrackets ?? withPort ?? "";
  return (inBrackets === undefined ? isIPv4(address) : isIP(address) === 6) ? address : undefined;
}
