/** A broker as the protocol describes it, in the fewest words: one list of jobs and a search for each question. */

/** docs/protocol/13-proving.md#133-broker. */
const PRIORITY = [15, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13, 4, 3, 2, 0, 1, 17, 16];

interface ModelJob {
  id: string;
  type: number;
  epoch: number;
  input: string;
  /** Position in the queue; undefined for a job that does not wait. */
  queued: number | undefined;
  running: { startedAt: number; since: number; seen: number; order: number } | undefined;
  failures: number;
  /** Whose reports count. */
  holder: string | undefined;
  /** Queued before a start: until the time-out has passed everybody's reports count. */
  inherited: boolean;
  revoked: number;
  /** Order of arrival. */
  arrived: number;
  result: { status: "fulfilled" | "rejected"; text: string } | undefined;
}

export interface ModelOptions {
  timeout: number;
  limit: number;
  attempts: number;
  keep: number;
}

export type Taken = { id: string; time: number } | undefined;

export class BrokerModel {
  now = 0;
  jobs: ModelJob[] = [];
  newest = 0;
  handedOut = 0;
  inheritedUntil = 0;
  /** Clients whose latest attempts failed: how many, and until when they get no job. */
  failing = new Map<string, { count: number; until: number }>();
  positions = 0;
  news: string[] = [];
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  find(id: string): ModelJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  #queue(job: ModelJob): void {
    job.running = undefined;
    job.queued = this.positions++;
    this.newest = Math.max(this.newest, job.epoch);
  }

  isStale(epoch: number): boolean {
    return epoch < this.newest - this.#options.keep;
  }

  enqueue(id: string, type: number, epoch: number, input: string): string {
    const known = this.find(id);
    if (known) {
      if (known.type !== type || known.epoch !== epoch || known.input !== input) return "Duplicate proving job ID";
      if (known.result?.status !== "rejected") return this.status(id);
      const fresh = { result: undefined, failures: 0, holder: undefined, inherited: false };
      Object.assign(known, fresh, { revoked: Number.NEGATIVE_INFINITY });
      this.#queue(known);
      return "not-found";
    }
    if (this.isStale(epoch)) return `Epoch too old: job epoch ${epoch}, current epoch: ${this.newest}`;
    this.#add(id, type, epoch, input);
    return "not-found";
  }

  replay(id: string, type: number, epoch: number, input: string): string {
    if (this.isStale(epoch)) return `Epoch too old: job epoch ${epoch}, current epoch: ${this.newest}`;
    this.jobs = this.jobs.filter((job) => job.id !== id);
    this.#add(id, type, epoch, input);
    return "in-queue";
  }

  #add(id: string, type: number, epoch: number, input: string): void {
    const job: ModelJob = {
      ...{
        id,
        type,
        epoch,
        input,
        failures: 0,
        holder: undefined,
        inherited: false,
        revoked: Number.NEGATIVE_INFINITY,
      },
      ...{ queued: undefined, running: undefined, result: undefined, arrived: this.positions++ },
    };
    this.jobs.push(job);
    this.#queue(job);
  }

  status(id: string): string {
    const job = this.find(id);
    if (!job) return "not-found";
    if (job.result) return `${job.result.status} ${job.result.text}`;
    return job.running ? "in-progress" : "in-queue";
  }

  take(allowed: number[], client: string): Taken {
    if (this.now < (this.failing.get(client)?.until ?? 0)) return undefined;
    const rank = (job: ModelJob): [number, number, number] => [PRIORITY.indexOf(job.type), job.epoch, job.queued!];
    const [job] = this.jobs
      .filter(({ queued, type }) => queued !== undefined && (allowed.length === 0 || allowed.includes(type)))
      .toSorted(
        (a, b) =>
          rank(a)
            .map((value, i) => value - rank(b)[i])
            .find((difference) => difference !== 0) ?? 0,
      );
    if (!job) return undefined;
    this.handedOut = Math.max(this.handedOut + 1, this.now);
    this.#run(job, this.handedOut, client);
    return { id: job.id, time: this.handedOut };
  }

  #counts(job: ModelJob, client: string): boolean {
    return job.holder === client || (job.inherited && this.now < this.inheritedUntil);
  }

  progress(id: string, startedAt: number, allowed: number[], client: string): Taken {
    const job = this.find(id);
    if (!job || job.result || !this.#counts(job, client)) return this.take(allowed, client);
    if (job.running) {
      if (startedAt > job.running.startedAt) return this.take(allowed, client);
      Object.assign(job.running, { startedAt, seen: this.now });
      job.holder = client;
      return undefined;
    }
    if (startedAt <= job.revoked) return this.take(allowed, client);
    this.#run(job, startedAt, client);
    return undefined;
  }

  #run(job: ModelJob, startedAt: number, client: string): void {
    job.holder = client;
    job.queued = undefined;
    job.running = { startedAt, since: this.now, seen: this.now, order: this.positions++ };
  }

  #settle(job: ModelJob, status: "fulfilled" | "rejected", text: string): void {
    Object.assign(job, { queued: undefined, running: undefined, result: { status, text } });
    this.news.push(job.id);
  }

  succeed(id: string, text: string, allowed: number[], client: string): Taken {
    const job = this.find(id);
    if (!job || job.result) return undefined;
    if (this.#counts(job, client)) {
      this.failing.delete(client);
      this.#settle(job, "fulfilled", text);
    }
    return this.take(allowed, client);
  }

  fail(id: string, text: string, retry: boolean, allowed: number[], client: string): Taken {
    const job = this.find(id);
    if (!job) return undefined;
    if (job.result || !this.#counts(job, client)) return this.take(allowed, client);
    const count = (this.failing.get(client)?.count ?? 0) + 1;
    this.failing.set(client, { count, until: count === 1 ? 0 : this.now + 1000 * 2 ** (count - 2) });
    Object.assign(job, { holder: undefined, inherited: false });
    if (retry && job.failures + 1 < this.#options.attempts && !this.isStale(job.epoch)) {
      Object.assign(job, { queued: undefined, running: undefined });
      const next = this.take(allowed, client);
      job.failures++;
      this.#queue(job);
      return next;
    }
    this.#settle(job, "rejected", text);
    return this.take(allowed, client);
  }

  cancel(id: string): void {
    const job = this.find(id);
    if (job && !job.result) this.#settle(job, "rejected", "Aborted");
  }

  completed(ids: string[]): string[] {
    const news = this.news;
    this.news = [];
    return [...news, ...ids].filter((id) => this.find(id)?.result);
  }

  check(): void {
    const { timeout, limit, attempts } = this.#options;
    const running = this.jobs.filter((job) => job.running).toSorted((a, b) => a.running!.order - b.running!.order);
    for (const job of running) {
      const { seen, since, startedAt } = job.running!;
      const silent = this.now - seen >= timeout;
      if (!silent && this.now - since < limit) continue;
      const reason = silent ? `Timed out: no heartbeat for ${timeout} ms` : `Timed out: not finished after ${limit} ms`;
      if (!silent) job.revoked = startedAt;
      if (job.failures + 1 >= attempts || this.isStale(job.epoch)) this.#settle(job, "rejected", reason);
      else {
        job.failures++;
        this.#queue(job);
      }
    }
    this.jobs = this.jobs.filter((job) => !this.isStale(job.epoch));
  }

  /** What a kill leaves: jobs, results and failed attempts. */
  restart(): void {
    this.news = [];
    this.failing.clear();
    this.newest = 0;
    this.handedOut = 0;
    this.inheritedUntil = this.now + this.#options.timeout;
    for (const job of this.jobs.toSorted((a, b) => a.arrived - b.arrived)) {
      job.revoked = Number.NEGATIVE_INFINITY;
      job.holder = undefined;
      job.inherited = !job.result;
      if (!job.result) this.#queue(job);
    }
  }
}
