import { createServer } from "node:net";

/** What a fault of binding means to an operator, by its code. */
const MEANINGS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EADDRNOTAVAIL: "no interface of this machine has the address",
  EACCES: "this user may not bind the port",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be resolved now",
};

/** Why a server cannot listen, in words. */
export function bindReason(code: string | undefined): string {
  const meaning = code === undefined ? undefined : MEANINGS[code];
  return meaning === undefined ? `${code ?? "for an unknown reason"}` : `${meaning} (${code})`;
}

/** Code of the fault by which a TCP server cannot listen now; undefined if it can. All interfaces without a host. */
export function bindFault(host: string | undefined, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "unknown error"));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
