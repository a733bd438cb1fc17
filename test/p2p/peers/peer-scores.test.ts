import { expect, test } from "vitest";
import { PeerScores } from "../../../src/p2p/peers/peer-scores.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

const MINUTE = 60_000;

function scored(penalties: number[] = [2, 10, 50]) {
  const clock = { now: 1_000_000 };
  return { clock, scores: new PeerScores({ penalties, now: () => clock.now, logger: silentLogger }) };
}

test("a penalty costs 2, 10 or 50 points by tolerance, in whatever order the values are given", () => {
  const { scores } = scored([50, 2, 10]);
  scores.penalize("a", "high", "");
  expect(scores.score("a")).toBe(-2);
  scores.penalize("a", "mid", "");
  expect(scores.score("a")).toBe(-12);
  scores.penalize("a", "low", "");
  expect(scores.score("a")).toBe(-62);
  expect(scores.score("unknown")).toBe(0);
});

test("a peer is healthy down to -50, to be disconnected down to -100, and banned below", () => {
  const { scores } = scored();
  scores.penalize("a", "low", "");
  expect([scores.score("a"), scores.health("a")]).toEqual([-50, "healthy"]);
  scores.penalize("a", "high", "");
  expect(scores.health("a")).toBe("disconnect");
  for (let i = 0; i < 24; i++) scores.penalize("a", "high", "");
  expect([scores.score("a"), scores.health("a")]).toEqual([-100, "disconnect"]);
  scores.penalize("a", "high", "");
  expect(scores.health("a")).toBe("banned");
});

test("a score decays by a tenth for each whole minute and is forgotten near zero", () => {
  const { clock, scores } = scored();
  scores.penalize("a", "low", "");
  clock.now += MINUTE - 1;
  expect(scores.score("a")).toBe(-50);
  clock.now += 1;
  expect(scores.score("a")).toBeCloseTo(-45);
  clock.now += 1.5 * MINUTE;
  expect(scores.score("a")).toBeCloseTo(-40.5);
  clock.now += 0.5 * MINUTE;
  expect(scores.score("a")).toBeCloseTo(-36.45);
  clock.now += 100 * MINUTE;
  expect(scores.score("a")).toBe(0);
});

test("scores of a flood of peers are bounded, and the worst peer is not forgotten", () => {
  const { scores } = scored();
  for (let i = 0; i < 3; i++) scores.penalize("villain", "low", "");
  for (let i = 0; i < 25_000; i++) scores.penalize(`peer ${i}`, "high", "");
  expect(scores.health("villain")).toBe("banned");
  expect(scores.count).toBeLessThanOrEqual(20_000);
});
