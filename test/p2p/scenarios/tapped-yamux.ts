import type { StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { concat, readU32 } from "../../../src/protocol/bytes.ts";

/** A yamux frame that was received (yamux specification, framing). */
export interface Frame {
  stream: number;
  data: Uint8Array;
  /** FIN: the sender closes its write side. */
  ends: boolean;
}

const DATA = 0;
const FIN = 4;

/** A yamux muxer that reports the frames of the other side, as they come out of the encrypted connection. */
export function tappedYamux(onFrame: (frame: Frame) => void): () => StreamMuxerFactory {
  return () => {
    const factory = yamux()();
    return {
      protocol: factory.protocol,
      createStreamMuxer(connection) {
        let rest: Uint8Array = new Uint8Array(0);
        connection.addEventListener("message", ({ data }) => {
          rest = concat(rest, data.subarray());
          for (;;) {
            if (rest.length < 12) return;
            const length = rest[1] === DATA ? readU32(rest, 8) : 0;
            if (rest.length < 12 + length) return;
            const stream = readU32(rest, 4);
            onFrame({ stream, data: rest.slice(12, 12 + length), ends: (rest[3] & FIN) !== 0 });
            rest = rest.subarray(12 + length);
          }
        });
        return factory.createStreamMuxer(connection);
      },
    };
  };
}

/** A yamux muxer over a connection that takes one frame at a time and is writable again a millisecond later. */
export function slowYamux(): () => StreamMuxerFactory {
  return () => {
    const factory = yamux()();
    return {
      protocol: factory.protocol,
      createStreamMuxer(connection) {
        const send = connection.send.bind(connection);
        connection.send = (data) => {
          send(data);
          setTimeout(() => connection.dispatchEvent(new Event("drain")), 1);
          return false;
        };
        return factory.createStreamMuxer(connection);
      },
    };
  };
}

/** A yamux muxer that sends nothing while `isMute`. */
export function muteYamux(isMute: () => boolean): () => StreamMuxerFactory {
  return () => {
    const factory = yamux()();
    return {
      protocol: factory.protocol,
      createStreamMuxer(connection) {
        const send = connection.send.bind(connection);
        connection.send = (data) => isMute() || send(data);
        return factory.createStreamMuxer(connection);
      },
    };
  };
}
