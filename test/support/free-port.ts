import { createSocket } from "node:dgram";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Below the ports that Linux gives to outgoing connections, one of which could take a free port before its owner. */
const [FIRST, COUNT] = [10_000, 13_000];

/** One file for each port that was given out, so that no other test gets it before its owner listens. */
const CLAIMS = join(tmpdir(), "svc-test-ports");
/** By then the owner listens, or never will. */
const CLAIM_MS = 10 * 60_000;

/** A port that nobody listens on, for TCP and UDP, and that no process on this machine was given lately. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (claims(port) && (await isFreeForTcp(port)) && (await isFreeForUdp(port))) return port;
  }
}

/** Claims a port. False if another claim is in force. */
function claims(port: number): boolean {
  const claim = join(CLAIMS, String(port));
  mkdirSync(CLAIMS, { recursive: true });
  const age = Date.now() - (statSync(claim, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > CLAIM_MS) rmSync(claim, { force: true });
  try {
    writeFileSync(claim, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ port, host: "0.0.0.0" }, () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  const bound = await new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false));
    socket.bind(port, "0.0.0.0", () => resolve(true));
  });
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return bound;
}
