import { randomBytes } from "node:crypto";
import net from "node:net";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Attack, AttackStage } from "./attack.ts";
import { ended, freshAddress, HostilePeer, many, pause, persist } from "./hostile-peer.ts";

/** A TCP connection that sends `bytes` again and again, or once; a new one follows when it ends. */
async function rawSocket(
  { target, counts, signal }: AttackStage,
  { from, bytes, again }: { from: () => string; bytes: (i: number) => Uint8Array | undefined; again: boolean },
): Promise<void> {
  while (!signal.aborted) {
    const socket = net.connect({ port: target.port, host: "127.0.0.1", localAddress: from() });
    const stop = () => socket.destroy();
    signal.addEventListener("abort", stop, { once: true });
    counts.sent++;
    await new Promise<void>((resolve) => {
      socket.on("error", () => {});
      socket.on("close", () => resolve());
      let written = 0;
      const write = (): void => {
        const next = bytes(written++);
        if (next === undefined || socket.destroyed) return;
        socket.write(next, () => {
          if (again && !signal.aborted) setImmediate(write);
        });
      };
      socket.on("connect", write);
      socket.resume();
    });
    signal.removeEventListener("abort", stop);
    if (!signal.aborted) {
      counts.refused++;
      await pause(20);
    }
  }
}

const MULTISTREAM = Buffer.concat([Buffer.from([0x13]), Buffer.from("/multistream/1.0.0\n")]);
const NOISE = Buffer.concat([MULTISTREAM, Buffer.from([0x07]), Buffer.from("/noise\n")]);
const UNKNOWN = Buffer.concat([Buffer.from([0x09]), Buffer.from("/nothing\n")]);

function sockets(
  name: string,
  count: number,
  {
    addresses,
    bytes,
    again = false,
  }: { addresses: "one" | "many"; bytes: (i: number) => Uint8Array | undefined; again?: boolean },
): Attack {
  return {
    name,
    run: (stage) => {
      const one = freshAddress();
      const from = addresses === "one" ? () => one : freshAddress;
      return many(count, () => rawSocket(stage, { from, bytes, again }));
    },
  };
}

/** Peers that connect fully and then do nothing; a peer that is refused or disconnected comes again. */
function idlePeers(name: string, count: number, from: (() => string) | undefined, privateKeys = false): Attack {
  return {
    name,
    run: async (stage) => {
      const privateKey = privateKeys ? await generateKeyPair("secp256k1") : undefined;
      const onAttempt = () => {
        stage.counts.sent++;
      };
      await many(count, () => persist(stage, () => ended(stage.signal), { from: from?.(), privateKey, onAttempt }));
    },
  };
}

async function churn(stage: AttackStage): Promise<void> {
  while (!stage.signal.aborted) {
    try {
      stage.counts.sent++;
      const peer = await HostilePeer.connect(stage.target, stage.signal);
      await peer.close();
    } catch {
      if (!stage.signal.aborted) stage.counts.refused++;
      await pause(50);
    }
  }
}

/** Connections: half-open, too many, of one key, short. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  sockets("half-open dials from one address", 500, { addresses: "one", bytes: () => undefined }),
  sockets("2,000 half-open dials from many addresses", 2_000, { addresses: "many", bytes: () => undefined }),
  sockets("handshakes that stop before Noise", 200, { addresses: "many", bytes: () => NOISE }),
  sockets("handshakes of garbage", 50, { addresses: "many", bytes: () => randomBytes(1_000), again: true }),
  sockets("names without an end", 20, { addresses: "many", bytes: () => Buffer.alloc(65_536, 0xff), again: true }),
  sockets("negotiations of unknown protocols", 20, {
    addresses: "many",
    again: true,
    bytes: (i) => (i === 0 ? MULTISTREAM : UNKNOWN),
  }),
  sockets("Noise messages of garbage", 50, {
    addresses: "many",
    bytes: () => Buffer.concat([NOISE, Buffer.from([0xff, 0xff]), randomBytes(65_535)]),
  }),
  idlePeers(
    "60 peers from one address",
    60,
    (() => {
      let address: string | undefined;
      return () => {
        address ??= freshAddress();
        return address;
      };
    })(),
  ),
  idlePeers("250 peers from many addresses", 250, undefined),
  idlePeers("one key from 40 addresses", 40, undefined, true),
  { name: "peers that connect and leave", run: (stage) => many(8, () => churn(stage)) },
];
