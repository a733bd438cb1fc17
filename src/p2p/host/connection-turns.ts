import type { MultiaddrConnection } from "@libp2p/interface";
import { ReadTurns } from "../streams/read-turns.ts";
import { ThreadShares } from "../streams/thread-shares.ts";
import { remoteIp } from "./remote-ip.ts";

/** Share of the thread that the input of all connections may take. */
const OVERALL_SHARE = 0.7;
/**
 * Bytes that are decrypted and demultiplexed without a look at the clock at the beginning of a run: a few hundred of
 * the smallest frames. The size doubles from piece to piece, because whole Noise messages are cheaper.
 */
const FIRST_PIECE_BYTES = 8192;

/** A connection of libp2p's transport, with the method by which its bytes come in. */
interface Incoming {
  readonly status: string;
  readonly readStatus: string;
  pause(): void;
  resume(): void;
  abort(error: Error): void;
  onData(data: Uint8Array): void;
}

/**
 * Divides the thread's time between connections. A socket delivers up to 64 KiB at once, which may be thousands of
 * frames of a few bytes each; the libraries handle them without returning to the event loop.
 */
export class ConnectionTurns {
  readonly #shares = new ThreadShares({ overall: OVERALL_SHARE });
  readonly #perAddress: boolean;
  #connections = 0;

  /** `perAddress`: connections from one IP address have one share together. */
  constructor({ perAddress }: { perAddress: boolean }) {
    this.#perAddress = perAddress;
  }

  /** Must be called before anything is read from the connection. */
  guard(connection: MultiaddrConnection): void {
    const incoming = connection as unknown as Incoming;
    const onData = incoming.onData.bind(incoming);
    const ip = this.#perAddress ? remoteIp(connection) : undefined;
    const key = ip ?? `connection ${this.#connections++}`;
    const turns = new ReadTurns((usedMs) => this.#shares.use(key, usedMs));
    let waiting: Uint8Array[] = [];
    const run = (): void => {
      // What is handed to a paused connection waits in its own buffer, and would be handled at once.
      resume(incoming);
      let size = FIRST_PIECE_BYTES;
      for (const [i, chunk] of waiting.entries()) {
        for (let at = 0; at < chunk.length; ) {
          const turn = turns.next();
          if (turn !== undefined) {
            waiting = [chunk.subarray(at), ...waiting.slice(i + 1)];
            pause(incoming);
            void turn.then(run);
            return;
          }
          onData(chunk.subarray(at, at + size));
          at += size;
          size *= 2;
        }
      }
      waiting = [];
    };
    incoming.onData = (data) => {
      waiting.push(data);
      if (waiting.length === 1) run();
    };
  }
}

function pause(incoming: Incoming): void {
  if (incoming.status === "open" && incoming.readStatus === "readable") incoming.pause();
}

function resume(incoming: Incoming): void {
  if (incoming.status !== "open" || incoming.readStatus !== "paused") return;
  try {
    incoming.resume();
  } catch (error) {
    incoming.abort(error as Error);
  }
}
