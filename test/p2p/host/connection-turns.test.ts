import type { MultiaddrConnection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionTurns } from "../../../src/p2p/host/connection-turns.ts";

/** A connection whose reader takes a time for each piece of bytes that it gets. */
class SlowlyRead {
  readonly remoteAddr = multiaddr("/ip4/10.0.0.1/tcp/1");
  readonly pieces: Buffer[] = [];
  readonly pauses: string[] = [];
  readonly #msPerPiece: number;
  status = "open";
  readStatus = "readable";

  constructor(msPerPiece: number) {
    this.#msPerPiece = msPerPiece;
  }

  onData(data: Uint8Array): void {
    for (const end = performance.now() + this.#msPerPiece; performance.now() < end; );
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

function guarded(msPerPiece: number): SlowlyRead {
  const connection = new SlowlyRead(msPerPiece);
  new ConnectionTurns({ perAddress: true }).guard(connection as unknown as MultiaddrConnection);
  return connection;
}

const numbered = (length: number, from = 0) => Buffer.from(Array.from({ length }, (_, i) => (from + i) % 251));

test("input that takes long is handled in runs, between which other work goes on, in its order and completely", async () => {
  const connection = guarded(4);
  let turns = 0;
  const count = (): void => {
    turns++;
    if (connection.bytes.length < 70_000) setImmediate(count);
  };
  setImmediate(count);
  connection.onData(numbered(65_536));
  expect(connection.pieces.length).toBeLessThan(4);
  connection.onData(numbered(4_464, 65_536));
  await expect.poll(() => connection.bytes.length, { timeout: 10_000, interval: 5 }).toBe(70_000);
  expect(connection.bytes.equals(numbered(70_000))).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(connection.pauses.length).toBeGreaterThan(0);
  await expect.poll(() => connection.readStatus).toBe("readable");
});

test("input that is handled quickly is handled at once", () => {
  // A stopped clock, because this process may lose the processor for longer than a run is.
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  const connection = guarded(0);
  for (let i = 0; i < 100; i++) connection.onData(numbered(100, i * 100));
  expect(connection.bytes.equals(numbered(10_000))).toBe(true);
  expect(connection.pauses).toEqual([]);
});

test("a connection whose input takes more than its share is paused while all take more than theirs", async () => {
  const connection = guarded(100);
  // Two seconds of work; the input of all connections may be half a second ahead of its share.
  for (let i = 1; i <= 20; i++) {
    connection.onData(numbered(100));
    await new Promise(setImmediate);
    await expect.poll(() => connection.readStatus, { timeout: 10_000, interval: 5 }).toBe("readable");
    expect(connection.pieces.length).toBe(i);
  }
  expect(connection.pauses.length).toBeGreaterThan(4);
});
