import type { MultiaddrConnection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionTurns } from "../../../src/p2p/host/connection-turns.ts";

/** A clock that moves only with the work of a reader and with what a test lets pass. */
class Clock {
  #now = 0;

  /** Until the end of the test, the code under test sees this clock. */
  constructor() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const clock = vi.spyOn(performance, "now").mockImplementation(() => this.#now);
    onTestFinished(() => {
      clock.mockRestore();
      vi.useRealTimers();
    });
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  work(ms: number): void {
    this.#now += ms;
  }

  pass(ms: number): void {
    this.#now += ms;
    vi.advanceTimersByTime(ms);
  }
}

const turn = () => new Promise(setImmediate);

/** A connection whose reader takes a time for each piece of bytes that it gets. */
class SlowlyRead {
  readonly remoteAddr = multiaddr("/ip4/10.0.0.1/tcp/1");
  readonly pieces: Buffer[] = [];
  readonly pauses: string[] = [];
  readonly #clock: Clock;
  readonly #msPerPiece: number;
  status = "open";
  readStatus = "readable";

  constructor(clock: Clock, msPerPiece: number) {
    this.#clock = clock;
    this.#msPerPiece = msPerPiece;
  }

  onData(data: Uint8Array): void {
    this.#clock.work(this.#msPerPiece);
    this.pieces.push(Buffer.from(data));
  }

  pause(): void {
    this.readStatus = "paused";
    this.pauses.push("pause");
  }

  resume(): void {
    this.readStatus = "readable";
    this.pauses.push("resume");
  }

  abort(): void {}

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

function guarded(clock: Clock, msPerPiece: number): SlowlyRead {
  const connection = new SlowlyRead(clock, msPerPiece);
  new ConnectionTurns({ perAddress: true }).guard(connection as unknown as MultiaddrConnection);
  return connection;
}

const numbered = (length: number, from = 0) => Buffer.from(Array.from({ length }, (_, i) => (from + i) % 251));

test("input that takes long is handled in runs, between which other work goes on, in its order and completely", async () => {
  const connection = guarded(new Clock(), 4);
  connection.onData(numbered(65_536));
  connection.onData(numbered(4_464, 65_536));
  const handled = [0, connection.pieces.length];
  while (connection.bytes.length < 70_000) {
    await turn();
    handled.push(connection.pieces.length);
  }
  // A run ends after 5 ms, which is in the second piece.
  const perTurn = handled.slice(1).map((pieces, i) => pieces - handled[i]);
  expect(Math.max(...perTurn)).toBe(2);
  expect(connection.bytes.equals(numbered(70_000))).toBe(true);
  expect(connection.pauses.length).toBeGreaterThan(0);
  expect(connection.readStatus).toBe("readable");
});

test("input that is handled quickly is handled at once", () => {
  const connection = guarded(new Clock(), 0);
  for (let i = 0; i < 100; i++) connection.onData(numbered(100, i * 100));
  expect(connection.bytes.equals(numbered(10_000))).toBe(true);
  expect(connection.pauses).toEqual([]);
});

test("a connection whose input takes more than its share is paused while all take more than theirs", async () => {
  const clock = new Clock();
  const connection = guarded(clock, 100);
  // Two seconds of work; the input of all connections may be half a second ahead of its share.
  for (let i = 1; i <= 20; i++) {
    connection.onData(numbered(100));
    await turn();
    while (connection.readStatus === "paused") {
      clock.pass(10);
      await turn();
    }
    expect(connection.pieces.length).toBe(i);
  }
  expect(connection.pauses.length).toBeGreaterThan(4);
  expect(clock.now).toBeGreaterThanOrEqual(2_000 / 0.7 - 500 - 100);
  expect(clock.now).toBeLessThan(2_000 / 0.7);
});
