import fc from "fast-check";
import { expect, test } from "vitest";
import type { Agent, JobStatus, NextJob } from "../../../src/prover/broker/job.ts";
import { MemoryJobs } from "../../../src/prover/broker/memory-jobs.ts";
import { ProvingBroker } from "../../../src/prover/broker/proving-broker.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { BrokerModel, type ModelOptions, type Taken } from "./broker-model.ts";

const literal = (value: string): Buffer => Buffer.from(JSON.stringify(value));
const textOf = (bytes: Uint8Array): string => JSON.parse(Buffer.from(bytes).toString());

const shown = (status: JobStatus): string => {
  if (status.status === "fulfilled") return `fulfilled ${textOf(status.value)}`;
  return status.status === "rejected" ? `rejected ${textOf(status.reason)}` : status.status;
};
const taken = (next: NextJob | undefined): Taken => next && { id: next.job.id, time: next.time };
let agents = 0;
/** Another agent each time. */
const agent = (allowed: number[]): Agent => ({ client: `agent ${agents++}`, allowed });
/** The agent that has a job, if `mine` and there is one; otherwise another one. */
const reporter = (model: BrokerModel, id: string, mine: boolean, allowed: number[]): Agent => {
  const holder = model.find(id)?.holder;
  return mine && holder !== undefined ? { client: holder, allowed } : agent(allowed);
};
const orMessage = (status: Promise<JobStatus>): Promise<string> => status.then(shown, (error: Error) => error.message);

/** The broker under test, over a clock that the test moves. */
class Subject {
  readonly #store = new MemoryJobs();
  readonly #options: ModelOptions;
  now = 0;
  broker: ProvingBroker;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.broker = this.#start();
  }

  #start(): ProvingBroker {
    const { timeout, limit, attempts, keep } = this.#options;
    const options = {
      ...{ jobTimeoutMs: timeout, jobLimitMs: limit, maxAttempts: attempts, epochsToKeep: keep },
      // The test calls `check`.
      pollIntervalMs: 2 ** 31 - 1,
      longPollMs: 0,
      clock: { now: () => this.now, time: () => this.now },
    };
    const broker = new ProvingBroker(this.#store, options, silentLogger);
    broker.start();
    return broker;
  }

  restart(): void {
    this.broker.stop();
    this.broker = this.#start();
  }
}

type Op = (model: BrokerModel, subject: Subject) => Promise<[expected: unknown, actual: unknown]>;

const ID = fc.constantFrom("a", "b", "c", "d", "e", "f");
const TYPE: fc.Arbitrary<number> = fc.constantFrom(15, 5, 13, 0, 16);
const EPOCH = fc.constantFrom(4, 5, 5, 5, 6, 7);
const ALLOWED: fc.Arbitrary<number[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<number[]>([]) },
  { weight: 1, arbitrary: fc.uniqueArray(TYPE) },
);
/** Times of hand-out are small here, so these hit leases, earlier ones and later ones. */
const STARTED = fc.integer({ min: 0, max: 40 });
/** An id mostly has one type, epoch and input, else it would be a duplicate nearly always. */
const JOB = fc
  .tuple(ID, TYPE, EPOCH, fc.boolean(), fc.integer({ min: 0, max: 30 }))
  .map(([id, type, epoch, fixed, odd]): [string, number, number, string] => {
    const at = id.charCodeAt(0) - 97;
    return fixed || odd > 0
      ? [id, [15, 5, 13, 0, 16, 16][at], [5, 5, 5, 6, 4, 7][at], "in"]
      : [id, type, epoch, "other"];
  });

const MINE = fc.integer({ min: 0, max: 3 }).map((n) => n > 0);

const OP: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: JOB.map<Op>((job) => async (model, { broker }) => {
      const [id, type, epochNumber, input] = job;
      const inputsUri = literal(input);
      return [model.enqueue(...job), await orMessage(broker.enqueue({ id, type, epochNumber, inputsUri }, "p"))];
    }),
  },
  {
    weight: 6,
    arbitrary: ALLOWED.map<Op>((allowed) => async (model, { broker }) => {
      const one = agent(allowed);
      return [model.take(allowed, one.client), taken(await broker.next(one))];
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(ID, STARTED, ALLOWED, MINE).map<Op>(([id, at, allowed, mine]) => async (model, { broker }) => {
      const one = reporter(model, id, mine, allowed);
      return [model.progress(id, at, allowed, one.client), taken(broker.progress(id, at, one))];
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(ID, ALLOWED, MINE).map<Op>(([id, allowed, mine]) => async (model, { broker }) => {
      const one = reporter(model, id, mine, allowed);
      return [model.succeed(id, "out", allowed, one.client), taken(await broker.succeed(id, literal("out"), one))];
    }),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(ID, fc.boolean(), ALLOWED, MINE).map<Op>(([id, retry, allowed, mine]) => async (model, sub) => {
      const one = reporter(model, id, mine, allowed);
      const expected = model.fail(id, "why", retry, allowed, one.client);
      return [expected, taken(await sub.broker.fail(id, "why", retry, one))];
    }),
  },
  {
    weight: 1,
    arbitrary: ID.map<Op>((id) => async (model, { broker }) => [model.cancel(id), await broker.cancel(id)]),
  },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(ID).map<Op>((ids) => async (model, { broker }) => [
      model.completed(ids),
      await broker.completed(ids, "p", undefined),
    ]),
  },
  {
    weight: 1,
    arbitrary: JOB.map<Op>((job) => async (model, { broker }) => {
      const [id, type, epochNumber, input] = job;
      const inputsUri = literal(input);
      return [model.replay(...job), await orMessage(broker.replay({ id, type, epochNumber, inputsUri }))];
    }),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 12 }).map<Op>((ms) => async (model, subject) => {
      model.now += ms;
      subject.now = model.now;
      model.check();
      subject.broker.check();
      // Rejections are stored after `check`.
      await new Promise((resolve) => setImmediate(resolve));
      return [undefined, undefined];
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Op>(async (model, subject) => {
      model.restart();
      subject.restart();
      return [undefined, undefined];
    }),
  },
);

test("a broker behaves like the model under any sequence of calls, timeouts and restarts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(OP, { minLength: 10, maxLength: 60 }), async (ops) => {
      const options = { timeout: 10, limit: 25, attempts: 3, keep: 1 };
      const model = new BrokerModel(options);
      const subject = new Subject(options);
      try {
        for (const op of ops) {
          const [expected, actual] = await op(model, subject);
          expect(actual).toEqual(expected);
          for (const id of "abcdef") expect(shown(subject.broker.status(id, "p"))).toBe(model.status(id));
        }
      } finally {
        subject.broker.stop();
      }
    }),
    { numRuns: 400 },
  );
});

test("a job whose agents all go silent is settled after the allowed attempts", async () => {
  const subject = new Subject({ timeout: 10, limit: 1000, attempts: 3, keep: 1 });
  await subject.broker.enqueue({ id: "a", type: 16, epochNumber: 1, inputsUri: literal("in") }, "p");
  let attempts = 0;
  while (subject.broker.next(agent([])) !== undefined) {
    attempts++;
    subject.now += 10;
    subject.broker.check();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(attempts).toBe(3);
  expect(shown(subject.broker.status("a", "p"))).toBe("rejected Timed out: no heartbeat for 10 ms");
  subject.broker.stop();
});
