import { isIP, isIPv4 } from "node:net";

interface IpNetwork {
  readonly address: string;
  /** Bits of the address that are the network's. */
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Reads an IP address, or a network in CIDR notation; undefined for anything else. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [, address, bits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (address === undefined || isIP(address) === 0) return undefined;
  const most = isIPv4(address) ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  return prefix > most ? undefined : { address, prefix, family: most === 32 ? "ipv4" : "ipv6" };
}
