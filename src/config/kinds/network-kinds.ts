import { parseIpNetwork } from "../../http/ip-network.ts";
import type { Kind } from "./kinds.ts";

/** An IP address, or a network in CIDR notation. */
export const ipNetwork: Kind<string> = {
  name: "IP network",
  placeholder: "network",
  rule: "must be an IP address, or a network such as 10.0.0.0/8 or 2001:db8::/32",
  parse: (given) => (parseIpNetwork(given) === undefined ? undefined : given),
  show: (value) => value,
};

/** Origins of web pages: all, none, or a list as browsers send them. */
export const corsOrigins: Kind<boolean | readonly string[]> = {
  name: "origins",
  placeholder: "list",
  rule: "must be *, none, or a comma list of origins such as https://app.example",
  parse(given) {
    if (given === "*") return true;
    if (given === "none") return false;
    const origins = given.split(",").map((part) => originOf(part.trim()));
    return origins.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
  },
  show: (value) => (typeof value === "boolean" ? (value ? "*" : "none") : value.join(",")),
};

/** Scheme, host and port in the form in which browsers send them; undefined for a text with more or less than that. */
function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  return isOrigin && !text.endsWith("/") ? url.origin : undefined;
}
