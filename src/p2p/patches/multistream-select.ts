import type { ConnectionEncrypter, Stream } from "@libp2p/interface";

const HEADER = "/multistream/1.0.0";
const REFUSED = "na";
const MAX_NAME_BYTES = 1024;
/** Names that one side sends until a protocol is chosen. */
const MAX_NAMES = 16;

/** A peer does not keep to multistream-select while a protocol is negotiated. */
export class NegotiationError extends Error {
  constructor(rule: string) {
    super(`negotiation of a protocol: ${rule}`);
    this.name = "NegotiationError";
  }
}

/**
 * Reads what a peer sends in multistream-select: names with a varint of their length, ended by a newline
 * (https://github.com/multiformats/multistream-select).
 */
export class NegotiatedNames {
  readonly #isChoice: (name: string) => boolean;
  /** Of the name that comes; 0 while its length is read. */
  #length = 0;
  /** First byte of a length that has two. */
  #lowBits: number | undefined;
  #body: number[] = [];
  #names = 0;
  #done = false;

  /** `isChoice` says which name ends the negotiation. */
  constructor(isChoice: (name: string) => boolean) {
    this.#isChoice = isChoice;
  }

  /** Returns whether the negotiation is over; bytes after it are not read. Throws a NegotiationError. */
  read(bytes: Iterable<number>): boolean {
    for (const byte of bytes) {
      if (this.#done) break;
      if (this.#length === 0) this.#readLength(byte);
      else this.#readBody(byte);
    }
    return this.#done;
  }

  #readLength(byte: number): void {
    if (byte >= 0x80) {
      if (this.#lowBits !== undefined) throw new NegotiationError("the length of a name has more than two bytes");
      this.#lowBits = byte & 0x7f;
      return;
    }
    const length = this.#lowBits === undefined ? byte : this.#lowBits + byte * 128;
    this.#lowBits = undefined;
    if (length === 0 || length > MAX_NAME_BYTES) throw new NegotiationError(`a name of ${length} bytes`);
    this.#length = length;
  }

  #readBody(byte: number): void {
    this.#body.push(byte);
    if (this.#body.length < this.#length) return;
    if (byte !== 0x0a) throw new NegotiationError("a name without a newline");
    const name = Buffer.from(this.#body).toString().trimEnd();
    this.#body = [];
    this.#length = 0;
    this.#done = this.#isChoice(name);
    if (++this.#names > MAX_NAMES) throw new NegotiationError("too many names");
  }
}

/** A stream or connection of libp2p, with the method by which its bytes come in. */
interface Incoming {
  /** Bytes that came and are not read. */
  readonly readBuffer: { subarray(): Uint8Array };
  onData(data: { subarray(): Uint8Array }): void;
  abort(error: Error): void;
}

/**
 * Ends a stream or connection whose peer breaks the rules before a protocol is chosen. The library reads names byte by
 * byte without returning to the event loop, and a length that never ends for as long as bytes come: a single client
 * could take the thread. The attacks are in test/p2p/scenarios/attacks/connections.ts and
 * test/p2p/patches/multistream-select.test.ts.
 */
function guard(target: object, isChoice: (name: string) => boolean): void {
  const incoming = target as Incoming;
  const names = new NegotiatedNames(isChoice);
  const onData = incoming.onData.bind(incoming);
  let broken = false;
  const read = (data: { subarray(): Uint8Array }): void => {
    try {
      if (names.read(data.subarray())) incoming.onData = onData;
    } catch (error) {
      broken = true;
      incoming.abort(error as Error);
    }
  };
  incoming.onData = (data) => {
    if (!broken) read(data);
    if (!broken) onData(data);
  };
  read(incoming.readBuffer);
}

/** For the side that is asked: any of `offered` is a choice. */
export function guardAsked(target: object, offered: () => readonly string[]): void {
  guard(target, (name) => offered().includes(name));
}

/** For the side that asks: any answer but a refusal is a choice. */
export function guardAsking(target: object): void {
  guard(target, (name) => name !== HEADER && name !== REFUSED);
}

/** The encrypter with guarded negotiation of the muxer, where that is not part of the handshake. */
export function guardMuxerChoice(encrypter: ConnectionEncrypter, muxer: string): ConnectionEncrypter {
  const secureInbound = encrypter.secureInbound.bind(encrypter);
  const secureOutbound = encrypter.secureOutbound.bind(encrypter);
  encrypter.secureInbound = (async (connection: Stream, options) => {
    const secured = await secureInbound(connection, options);
    if (secured.streamMuxer === undefined) guardAsked(secured.connection, () => [muxer]);
    return secured;
  }) as ConnectionEncrypter["secureInbound"];
  encrypter.secureOutbound = (async (connection: Stream, options) => {
    const secured = await secureOutbound(connection, options);
    if (secured.streamMuxer === undefined) guardAsking(secured.connection);
    return secured;
  }) as ConnectionEncrypter["secureOutbound"];
  return encrypter;
}
