import type { Connection } from "@libp2p/interface";

/** The IP address of a connection's other side; undefined if its address has none. */
export function remoteIp({ remoteAddr }: Pick<Connection, "remoteAddr">): string | undefined {
  return remoteAddr.getComponents().find(({ name }) => name === "ip4" || name === "ip6")?.value;
}
