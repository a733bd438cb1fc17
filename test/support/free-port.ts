import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Below the ports that Linux gives to outgoing connections, one of which could take a free port before its owner. */
const [FIRST, COUNT] = [10_000, 13_000];

/** A port that nobody listens on, for TCP and UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await isFreeForTcp(port)) && (await isFreeForUdp(port))) return port;
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
