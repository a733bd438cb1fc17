import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { blockHeaderValue, type ChainTip, Consistency, readMinBlock } from "../../../src/rpc/calls/consistency.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import { RpcApplication } from "../../../src/rpc/routes/rpc-application.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import type { Answer, BodyRequest } from "../../../src/rpc/wire/listener.ts";
import { fakeChain, fakeServices, fakeWorld, recordingLogger } from "../../world/rpc/fakes.ts";

const hashOf = (number: number, fork = 0) => new Uint8Array(32).fill(number + 16 * fork);
const block = fc.record({ number: fc.nat(2 ** 32 - 1), hash: fc.uint8Array({ minLength: 32, maxLength: 32 }) });

/** A chain up to a tip whose commits the test makes. */
class Chain {
  readonly listeners = new Set<() => void>();
  #tip: ChainTip | undefined;
  fork = 0;
  constructor(tip: number | undefined) {
    this.#tip = tip === undefined ? undefined : { number: tip, hash: hashOf(tip) };
  }
  commit(number: number): void {
    this.#tip = { number, hash: hashOf(number, this.fork) };
    for (const listener of [...this.listeners]) listener();
  }
  consistency(waitMs = 2 ** 30): Consistency {
    const commits = {
      onCommit: (listener: () => void) => {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
      },
    };
    const blockHash = (number: number) =>
      this.#tip !== undefined && number <= this.#tip.number ? hashOf(number, this.fork) : undefined;
    return new Consistency({ tip: () => this.#tip, blockHash, commits }, { waitMs });
  }
}

describe("the value of x-svc-min-block", () => {
  test("reads every value of x-svc-block", () => {
    fc.assert(fc.property(block, (tip) => void expect(readMinBlock(blockHeaderValue(tip))).toEqual(tip)));
  });

  test("reads a number alone", () => {
    fc.assert(fc.property(fc.nat(), (number) => void expect(readMinBlock(String(number))).toEqual({ number })));
  });

  test("is refused in any other form", () => {
    const form = /^\d{1,10}( 0x[0-9a-fA-F]{64})?$/;
    const text = fc.oneof(
      fc.string(),
      block.map((tip) => blockHeaderValue(tip).slice(0, -1)),
      block.map((tip) => `${blockHeaderValue(tip)}0`),
      block.map(({ number, hash }) => `${number},${toHex(hash)}`),
      block.map((tip) => ` ${blockHeaderValue(tip)}`),
      fc.constantFrom("", "-1", "1e3", "0x10", "12345678901", "1 ", "١"),
    );
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(!form.test(given));
        expect(readMinBlock(given)).toBe(undefined);
      }),
    );
  });
});

describe("the block of an answer", () => {
  test("is the same list of headers until the tip changes", () => {
    const chain = new Chain(3);
    const consistency = chain.consistency();
    const headers = consistency.headers();
    expect(headers).toEqual([["x-svc-block", `3 ${toHex(hashOf(3))}`]]);
    chain.commit(3);
    expect(consistency.headers(), "a commit without a block").toBe(headers);
    chain.commit(4);
    expect(consistency.headers()).toEqual([["x-svc-block", `4 ${toHex(hashOf(4))}`]]);
    chain.fork = 1;
    chain.commit(4);
    expect(consistency.headers()).toEqual([["x-svc-block", `4 ${toHex(hashOf(4, 1))}`]]);
  });

  test("is left out while there is no block", () => {
    expect(new Chain(undefined).consistency().headers()).toEqual([]);
  });
});

describe("a request with a least block", () => {
  const client = (i: number) => ({ address: `10.0.${i >> 8}.${i & 0xff}` });

  test("is answered at once when the chain has the block, by number or by hash", async () => {
    const consistency = new Chain(5).consistency();
    expect(consistency.has({ number: 5 })).toBe(true);
    expect(consistency.has({ number: 2, hash: hashOf(2) })).toBe(true);
    expect(consistency.has({ number: 6 })).toBe(false);
    expect(consistency.has({ number: 2, hash: hashOf(2, 1) })).toBe(false);
    expect(await consistency.reached({ number: 5, hash: hashOf(5) })).toBe(true);
  });

  test("is answered by the commit that adds the block, and not before", async () => {
    const chain = new Chain(5);
    const consistency = chain.consistency();
    let answered: boolean | undefined;
    const wait = consistency.reached({ number: 7, hash: hashOf(7, 1) }).then((found) => {
      answered = found;
    });
    for (const number of [6, 7]) chain.commit(number);
    await Promise.resolve();
    expect(answered, "another block 7").toBe(undefined);
    chain.fork = 1;
    chain.commit(7);
    await wait;
    expect(answered).toBe(true);
    expect(chain.listeners.size).toBe(0);
  });

  test("is refused after the wait, and when the client leaves", async () => {
    const chain = new Chain(5);
    expect(await chain.consistency(1).reached({ number: 6 })).toBe(false);
    const gone = new AbortController();
    const wait = chain.consistency().reached({ number: 6 }, { signal: gone.signal });
    gone.abort();
    expect(await wait).toBe(false);
    expect(chain.listeners.size).toBe(0);
  });

  test("is refused at once when many requests wait already", async () => {
    const chain = new Chain(5);
    const consistency = chain.consistency();
    const waiting = Array.from({ length: 1_024 }, (_, i) => consistency.reached({ number: 6 }, client(i)));
    expect(await consistency.reached({ number: 6 }, client(0))).toBe(false);
    expect(await consistency.reached({ number: 6 }, client(2_000))).toBe(false);
    chain.commit(6);
    expect((await Promise.all(waiting)).every((found) => found)).toBe(true);
  });

  test("of one client among many has a place although another client would take all", async () => {
    const chain = new Chain(5);
    const consistency = chain.consistency();
    const wait = (address: string) => consistency.reached({ number: 6 }, { address });
    const greedy = Array.from({ length: 2_000 }, () => wait("203.0.113.1"));
    // An IPv6 client has as many addresses as it likes.
    const wide = Array.from({ length: 2_000 }, (_, i) => wait(`2001:db8::${i.toString(16)}`));
    const honest = Array.from({ length: 600 }, (_, i) => wait(`198.51.${i >> 8}.${i & 0xff}`));
    chain.commit(6);
    const found = async (waits: Promise<boolean>[]) => (await Promise.all(waits)).filter((each) => each).length;
    expect(await found(honest)).toBe(600);
    expect([await found(greedy), await found(wide)]).toEqual([212, 212]);
    expect(chain.listeners.size).toBe(0);
  });
});

describe("a reorg during a call takes back the block that the client has seen", () => {
  const chain = new Chain(179);
  const settled: ((answer: RpcAnswer) => void)[] = [];
  const slow = () => new Promise<RpcAnswer>((resolve) => void settled.push(resolve));
  const dispatcher = { answerBytes: slow } as unknown as Dispatcher;
  const options = {
    ...{ consistency: chain.consistency(), versionHeaders: [], cors: false, maxBodyBytes: 1_000 },
    healthy: async () => true,
  } as const;
  const application = new RpcApplication(dispatcher, options, recordingLogger());
  const from = { client: () => "127.0.0.1", signal: () => new AbortController().signal };
  const body = Buffer.from("{}");

  async function answered(given: Answer | Promise<Answer>): Promise<{ status: number; text: string }> {
    chain.commit(178);
    settled.pop()?.({ status: 200, body: Buffer.from("old") });
    const { status, body: text = "" } = await given;
    chain.commit(179);
    return { status, text: Buffer.from(text).toString() };
  }

  test("and the answer is 503, as it would be for a later request", async () => {
    const wishes = { acceptEncoding: "", minBlock: "179" };
    const missing = { status: 503, text: expect.stringContaining("Block 179 is not here yet") };
    expect(await answered(application.plainPost.answer(body, wishes, from) as Promise<Answer>)).toEqual(missing);
    const headers: Record<string, string> = { "content-type": "application/json", "x-svc-min-block": "179" };
    const header = (name: string) => headers[name] ?? "";
    const head = { method: "POST", path: "/", query: "", header, ...from };
    const request = application.receive(head) as BodyRequest;
    expect(await answered(request.answer(body))).toEqual(missing);
  });

  test("and who names no block gets the answer", async () => {
    const wishes = { acceptEncoding: "", minBlock: "" };
    const given = application.plainPost.answer(body, wishes, from) as Promise<Answer>;
    expect(await answered(given)).toEqual({ status: 200, text: "old" });
  });
});

describe("catching up with another node", () => {
  test("is not waited for again while the chain stands still", async () => {
    const chain = new Chain(5);
    const consistency = chain.consistency(1);
    await consistency.caughtUp({ number: 9 });
    const again = consistency.caughtUp({ number: 9 });
    expect(chain.listeners.size).toBe(0);
    await again;
    chain.commit(6);
    const wait = consistency.caughtUp({ number: 7 });
    expect(chain.listeners.size).toBe(1);
    chain.commit(7);
    await wait;
  });
});

describe("a reference block above the tip", () => {
  const ask = async (refusesBlocksAhead: boolean | undefined, request: unknown) => {
    const registry = publicRegistry(fakeServices({ world: fakeWorld(3), chain: fakeChain({ latest: 3 }) }));
    const options = { maxBatchSize: 10, namespaces: ["node"] as const, refusesBlocksAhead };
    const answer = await new Dispatcher(registry, options, recordingLogger()).answer(request);
    return { ...answer, body: JSON.parse(Buffer.from(answer.body).toString()) };
  };
  const zero = `0x${"00".repeat(32)}`;
  const read = (block: number) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "node_getPublicDataWitness",
    params: [block, zero],
  });

  test("is an error of the call by default", async () => {
    expect(await ask(undefined, read(4))).toMatchObject({ status: 400, body: { error: { code: -32702 } } });
  });

  test("is 503 with Retry-After where that is asked for", async () => {
    expect(await ask(true, read(4))).toMatchObject({
      status: 503,
      headers: [["Retry-After", "1"]],
      body: { error: { code: -32002, message: expect.stringContaining("Queried block 4 not yet synced") } },
    });
  });

  test("fails only its own call of a batch", async () => {
    const { status, body } = await ask(true, [read(4), { id: 2, method: "node_getBlockNumber" }]);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ error: { code: -32002 } }, { result: 3 }]);
  });
});
