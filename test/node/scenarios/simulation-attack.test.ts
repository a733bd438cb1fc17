import { afterEach, expect, test } from "vitest";
import { SimulatingPort } from "../../world/node/simulating-port.ts";
import "../../support/soak.ts";

/** Time limit of a simulation: far more than an honest one needs, far less than an endless one would take. */
const LIMIT_MS = 1_000;

let port: SimulatingPort | undefined;
afterEach(async () => {
  await port?.close();
  port = undefined;
});

test("with 40 endless simulations of another client queued, a simulation waits for only one of them", async () => {
  port = await SimulatingPort.open({ limitMs: LIMIT_MS });
  await port.honestCalls(1);
  const attack = await port.attack({ clients: 40 });
  const beside = await port.honestCalls(6);
  attack.stop();
  // No honest call is refused, although the hostile client fills its share of the queue.
  expect(beside).toMatchObject({ calls: 6, refused: 0 });
  expect(Object.keys(attack.answers).join()).toMatch(/The node is busy: 32 simulations are waiting already/);
  expect(attack.answers[`The simulation was given up after ${LIMIT_MS} ms`]).toBeGreaterThanOrEqual(3);
  // Without turns by client each call would wait for all 32.
  expect(beside.medianMs).toBeLessThan(32 * LIMIT_MS);
});

test("simulations of clients that left end at once, both waiting and running ones", async () => {
  port = await SimulatingPort.open({ limitMs: 120_000 });
  await port.honestCalls(1);
  const attack = await port.attack({ clients: 20 });
  attack.stop();
  // The gas of each attack simulation would last for seconds.
  expect(await port.honestCalls(3)).toMatchObject({ calls: 3, refused: 0 });
  await expect.poll(() => attack.answers).toEqual({ left: 20 });
});
