import { parseIpNetwork } from "../http/ip-network.ts";
import type { Kind } from "./kinds.ts";

/** An IP address, or a network in CIDR notation. */
export const ipNetwork: Kind<string> = {
  name: "IP network",
  placeholder: "network",
  rule: "must be an IP address, or a network such as 10.0.0.0/8 or 2001:db8::/32",
  parse: (given) => (parseIpNetwork(given) === undefined ? undefined : given),
  show: (value) => value,
};
