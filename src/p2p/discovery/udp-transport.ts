import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { EventEmitter } from "node:events";
import type { IPMode, SocketAddress } from "@chainsafe/discv5";
import {
  decodePacket,
  encodePacket,
  type IPacket,
  MAX_PACKET_SIZE,
  MIN_PACKET_SIZE,
  PacketType,
} from "@chainsafe/discv5/packet";
import type { BaseENR } from "@chainsafe/enr";
import { type Multiaddr, multiaddr } from "multiaddr-12";
import { Listeners } from "../../events/listeners.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { DiscoveryListenError } from "./errors.ts";
import type { PacketGate } from "./packet-gate.ts";

interface UdpTransportOptions {
  /** IPv4 address to bind. */
  address: string;
  /** 0 takes a free port. */
  port: number;
  /** Node id of this node: 64 hex digits. */
  nodeId: string;
  log: Logger;
  gate: PacketGate;
}

/** Packets since the start. */
interface PacketCounts {
  received: number;
  /** Beyond a rate limit, or of a size that no packet has. */
  dropped: number;
  malformed: number;
  /** Processing threw. */
  failed: number;
}

const RECEIVE_BUFFER_BYTES = 1024 * 1024;

/**
 * UDP under the discovery library (an ITransportService), instead of the library's own transport: with that one the
 * process ends when the port is taken or processing a packet throws, and the memory of its rate limits grows with the
 * number of source addresses. No error of a packet leaves this class.
 */
export class UdpTransport extends EventEmitter {
  readonly gate: PacketGate;
  readonly counts: PacketCounts = { received: 0, dropped: 0, malformed: 0, failed: 0 };
  readonly ipMode: IPMode = { ip4: true, ip6: false };
  readonly #options: UdpTransportOptions;
  #socket: Socket | undefined;
  #port: number;
  /** Called for each well-formed packet of an address that this node did not ask anything. */
  readonly strangers = new Listeners<[]>((err) => this.#options.log.debug({ err }, "a listener of packets failed"));

  constructor(options: UdpTransportOptions) {
    super();
    this.#options = options;
    this.#port = options.port;
    this.gate = options.gate;
  }

  get port(): number {
    return this.#port;
  }

  get bindAddrs(): Multiaddr[] {
    return [multiaddr(`/ip4/${this.#options.address}/udp/${this.#port}`)];
  }

  /** Rejects with a DiscoveryListenError. */
  async start(): Promise<void> {
    const { address, port, log } = this.#options;
    const socket = createSocket({ type: "udp4", recvBufferSize: RECEIVE_BUFFER_BYTES });
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => {
        socket.close();
        reject(new DiscoveryListenError(address, port, error));
      };
      socket.once("error", failed);
      socket.bind(port, address, () => {
        socket.off("error", failed);
        resolve();
      });
    });
    socket.on("error", (error) => log.warn({ err: error }, "the UDP socket of discovery failed"));
    socket.on("message", (packet, source) => this.#receive(packet, source));
    this.#port = socket.address().port;
    this.#socket = socket;
  }

  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.removeAllListeners("message");
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  async send(to: Multiaddr, toId: string, packet: IPacket): Promise<void> {
    const { host, port } = to.toOptions();
    this.#socket?.send(encodePacket(toId, packet), port, host);
  }

  getContactableAddr(record: BaseENR): SocketAddress | undefined {
    const octets = record.kvs.get("ip");
    const port = record.udp;
    return octets === undefined || port === undefined ? undefined : { ip: { type: 4, octets }, port };
  }

  #receive(data: Buffer, { address: ip, port }: RemoteInfo): void {
    const { counts, gate } = this;
    counts.received++;
    const address = `${ip}:${port}`;
    if (data.length < MIN_PACKET_SIZE || data.length > MAX_PACKET_SIZE || !gate.admits(ip, address)) {
      counts.dropped++;
      return;
    }
    let packet: IPacket;
    try {
      packet = decodePacket(this.#options.nodeId, data);
    } catch {
      counts.malformed++;
      return;
    }
    const { flag } = packet.header;
    const admitted =
      flag === PacketType.Handshake
        ? gate.admitsHandshake(ip, address)
        : flag === PacketType.WhoAreYou || gate.admitsMessage(address, data.length);
    if (!admitted) {
      counts.dropped++;
      return;
    }
    if (!gate.knows(address)) this.strangers.emit();
    try {
      this.emit("packet", multiaddr(`/ip4/${ip}/udp/${port}`), packet);
    } catch (error) {
      counts.failed++;
      this.#options.log.debug({ address, reason: String(error) }, "a discovery packet of {address} failed: {reason}");
    }
  }
}
