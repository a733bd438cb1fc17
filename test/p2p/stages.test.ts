import { expect, test } from "vitest";
import { type Stage, Stages } from "../../src/p2p/stages.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";

/** Stages that note their starts and stops; `changes` replace functions of the stage of a name. */
function noted(names: readonly string[], changes: Record<string, Partial<Stage>> = {}) {
  const notes: string[] = [];
  const errors: object[] = [];
  const stages = names.map(
    (name): Stage => ({
      name,
      async start() {
        notes.push(`start ${name}`);
        await changes[name]?.start?.();
      },
      async stop() {
        notes.push(`stop ${name}`);
        await changes[name]?.stop?.();
      },
    }),
  );
  const logger = { ...silentLogger, error: (facts: object) => void errors.push(facts) };
  return { notes, errors, stages: new Stages(stages, logger) };
}

test("stages start in order and stop in reverse order, once each", async () => {
  const { notes, stages } = noted(["a", "b"]);
  await Promise.all([stages.start(), stages.start()]);
  await Promise.all([stages.stop(), stages.stop()]);
  await stages.stop();
  expect(notes).toEqual(["start a", "start b", "stop b", "stop a"]);
});

test("a stage that fails to start has its error thrown once it and those before it are stopped", async () => {
  const { notes, stages } = noted(["a", "b", "c"], {
    b: { start: () => Promise.reject(new Error("the port is taken")) },
  });
  await expect(stages.start()).rejects.toThrow("the port is taken");
  expect(notes).toEqual(["start a", "start b", "stop b", "stop a"]);
  await stages.stop();
  expect(notes).toHaveLength(4);
});

test("a stop during the start waits for the stage that is starting and leaves out the others", async () => {
  const opened = Promise.withResolvers<void>();
  const { notes, stages } = noted(["a", "b", "c"], { b: { start: () => opened.promise } });
  const started = stages.start();
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = stages.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(notes).toEqual(["start a", "start b"]);
  opened.resolve();
  await Promise.all([started, stopped]);
  expect(notes).toEqual(["start a", "start b", "stop b", "stop a"]);
});

test("stages that were stopped before they started do not start", async () => {
  const { notes, stages } = noted(["a"]);
  await stages.stop();
  await stages.start();
  expect(notes).toEqual([]);
});

test("a stage that fails to stop is logged and does not keep the others running", async () => {
  const error = new Error("stuck");
  const { notes, errors, stages } = noted(["a", "b"], { b: { stop: () => Promise.reject(error) } });
  await stages.start();
  await stages.stop();
  expect(notes.slice(2)).toEqual(["stop b", "stop a"]);
  expect(errors).toEqual([{ stage: "b", err: error }]);
});
