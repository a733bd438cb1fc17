import { isIPv4 } from "node:net";

const MAPPED_IPV4 = /^0:0:0:0:0:ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * What an address counts as when clients are told apart: an IPv4 address, also a mapped one, as itself (`192.0.2.1`);
 * an IPv6 one as its /64 (`2001:db8:0:1::/64`), since one client has all of that. Takes any text form; what is no
 * address counts as itself.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address;
  if (!address.includes(":")) return address;
  const groups = ipv6Groups(address);
  const mapped = MAPPED_IPV4.exec(groups.join(":"));
  if (mapped === null) return `${groups.slice(0, 4).join(":")}::/64`;
  const [high, low] = [Number.parseInt(mapped[1], 16), Number.parseInt(mapped[2], 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups in lower-case hex without leading zeros. */
function ipv6Groups(address: string): string[] {
  const [start, end] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const head = groupsOf(start);
  const tail = groupsOf(end ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail];
}

function groupsOf(part: string): string[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!isIPv4(group)) return [group.replace(/^0+(?=.)/, "")];
    const [a, b, c, d] = group.split(".").map(Number);
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}
