import { type MessageStream, type StreamMuxer, type StreamMuxerFactory, TypedEventEmitter } from "@libp2p/interface";

export const TYPE = { data: 0, window: 1, ping: 2, goAway: 3 } as const;
export const FLAG = { none: 0, syn: 1, ack: 2, fin: 4, rst: 8 } as const;

/** Header of a yamux frame. */
export function header(type: number, flag: number, stream: number, length: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes[1] = type;
  bytes.writeUInt16BE(flag, 2);
  bytes.writeUInt32BE(stream, 4);
  bytes.writeUInt32BE(length, 8);
  return bytes;
}

class RawMuxer extends TypedEventEmitter<Record<string, never>> {
  readonly protocol = "/yamux/1.0.0";
  readonly streams = [];
  readonly status = "open";
  readonly wire: MessageStream;

  constructor(wire: MessageStream) {
    super();
    this.wire = wire;
  }
  createStream(): Promise<never> {
    return Promise.reject(new Error("no streams"));
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  abort(): void {}
}

/** A muxer that sends nothing by itself: `onWire` gets the encrypted connection, to send frames of any form. */
export function rawMuxer(onWire: (wire: MessageStream) => void): () => StreamMuxerFactory {
  return () => ({
    protocol: "/yamux/1.0.0",
    createStreamMuxer(wire) {
      onWire(wire);
      return new RawMuxer(wire) as unknown as StreamMuxer;
    },
  });
}
