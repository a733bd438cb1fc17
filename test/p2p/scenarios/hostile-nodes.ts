import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { Discv5, type IDiscv5CreateOptions, type ITransportService } from "@chainsafe/discv5";
import { ENR, id as idScheme, SignableENR, sign } from "@chainsafe/enr";
import { toRlp } from "viem";
import { PacketGate } from "../../../src/p2p/discovery/packet-gate.ts";
import { UdpTransport } from "../../../src/p2p/discovery/udp-transport.ts";
import { generatePeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { freePort } from "../../support/free-port.ts";

/** Values of a record as the wire has them, beginning with the signature; keys stay in the given order. */
export type RecordValues = Uint8Array[];

/** Signs a record of a new key over whatever `entries` says. */
export function signedValues(entries: [string, Uint8Array][], sequence = Buffer.of(7)): RecordValues {
  const key = generatePeerIdentity().privateKey;
  const own = entries.map(([name, value]): [string, Uint8Array] =>
    name === "secp256k1" ? [name, key.publicKey.raw] : [name, value],
  );
  const content = [sequence, ...own.flatMap(([name, value]) => [Buffer.from(name), value])];
  const encoded = toRlp(
    content.map((value) => Uint8Array.from(value)),
    "bytes",
  );
  return [sign(idScheme(new Map(own)), encoded, key.raw), ...content];
}

/** A node of discovery that answers every FINDNODE with the given records, whatever is in them. */
export async function lyingNode(
  version: string,
  records: RecordValues[],
): Promise<{ enr: string; stop(): Promise<void> }> {
  const { privateKey } = generatePeerIdentity();
  const port = await freePort();
  const record = SignableENR.createV4(privateKey.raw, { aztec: Buffer.from(version) });
  record.ip = "127.0.0.1";
  record.udp = port;
  const transport = new UdpTransport({
    address: "127.0.0.1",
    port,
    nodeId: record.nodeId,
    gate: new PacketGate({ handshakesPerSecond: 50 }),
    log: silentLogger,
  });
  const discv5 = Discv5.create({
    enr: record,
    privateKey: privateKey as unknown as IDiscv5CreateOptions["privateKey"],
    bindAddrs: { ip4: transport.bindAddrs[0] as never },
    transport: transport as ITransportService,
  });
  const NODES = 4;
  Object.assign(discv5, {
    handleFindNode(node: never, { id }: { id: bigint }) {
      const answer = (some: RecordValues[], total: number): void =>
        discv5.sessionService.sendResponse(node, {
          type: NODES,
          id,
          total,
          enrs: some.map((values) => ({ encodeToValues: () => values })),
        } as never);
      for (let i = 0; i < records.length; i += 4) answer(records.slice(i, i + 4), Math.ceil(records.length / 4));
    },
  });
  await discv5.start();
  return { enr: record.encodeTxt(), stop: () => discv5.stop() };
}

/** A node of the library as it is, which asks `victim` for nodes from a loopback address. */
export async function plainNode(
  version: string,
  address: string,
): Promise<{ ask(victim: string): Promise<void>; stop(): Promise<void> }> {
  const { privateKey } = generatePeerIdentity();
  const port = await freePort();
  const record = SignableENR.createV4(privateKey.raw, { aztec: Buffer.from(version) });
  record.ip = address;
  record.udp = port;
  const transport = new UdpTransport({
    address,
    port,
    nodeId: record.nodeId,
    gate: new PacketGate({ handshakesPerSecond: 50 }),
    log: silentLogger,
  });
  const discv5 = Discv5.create({
    enr: record,
    privateKey: privateKey as unknown as IDiscv5CreateOptions["privateKey"],
    bindAddrs: { ip4: transport.bindAddrs[0] as never },
    transport: transport as ITransportService,
  });
  await discv5.start();
  return {
    ask: (victim) =>
      discv5.sendFindNode(ENR.decodeTxt(victim), [256]).then(
        () => undefined,
        () => undefined,
      ),
    stop: () => discv5.stop(),
  };
}

/** Sends packets to a port of loopback, from one socket per source address. */
export async function flood(port: number, sources: readonly string[], packets: readonly Uint8Array[]): Promise<void> {
  const sockets = await Promise.all(
    sources.map(async (source) => {
      const socket = createSocket("udp4");
      await new Promise<void>((resolve) => socket.bind(0, source, resolve));
      return socket;
    }),
  );
  for (const [i, packet] of packets.entries()) {
    const socket = sockets[i % sockets.length];
    await new Promise<void>((resolve) => socket?.send(packet, port, "127.0.0.1", () => resolve()));
  }
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
}

export function garbage(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => randomBytes((i * 37) % 1400));
}
