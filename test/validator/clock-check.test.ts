import { afterEach, expect, test } from "vitest";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import { ClockCheck, ClockedGuard } from "../../src/validator/clock-check.ts";
import { closeGuards, recordingGuard } from "../world/validator/recording-guard.ts";

const TIMES = { l1GenesisTime: 1_000_000, slotDuration: 72, ethereumSlotDuration: 12 };
const startOf = (slot: number) => (TIMES.l1GenesisTime + slot * TIMES.slotDuration) * 1000;
afterEach(closeGuards);

/** A check after blocks that arrived with these delays, in seconds. */
function after(...delays: number[]) {
  const log: string[] = [];
  const at = (level: string) => (facts: object, message: string) =>
    void log.push(
      `${level}: ${message.replace(/\{(\w+)\}/g, (_, key) => String((facts as Record<string, unknown>)[key]))}`,
    );
  const check = new ClockCheck(TIMES, { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") });
  const arrive = (seconds: number[]) => {
    for (const [i, delay] of seconds.entries()) check.arrived(2_000_000 + i * 12, (2_000_000 + i * 12 + delay) * 1000);
  };
  arrive(delays);
  return { check, log, arrive };
}

test("a clock that blocks of L1 reach within seconds is right, also when one of them is late", () => {
  for (const delays of [[0.5, 3, 2], [11, 3, 9], [100, 2, 60], [-30, 1, -30], [900], [-900, -900]]) {
    const { check, log } = after(...delays);
    expect([check.fault(), log], String(delays)).toEqual([undefined, []]);
  }
});

test("a clock behind L1 is a warning from 2 s on, and a fault from more than one L1 slot on", () => {
  expect(after(-1.9, -2, -5).log).toEqual([]);
  const some = after(-3, -4, -12);
  expect([some.check.fault(), some.log]).toEqual([undefined, ["warn: the clock is 3 s behind L1"]]);
  const wrong = after(-13, -14, -20);
  expect(wrong.check.fault()).toBe("the clock is 13 s behind L1");
  expect(wrong.log).toEqual(["error: the clock is 13 s behind L1: no duties are signed until it is right"]);
});

test("a clock ahead of L1 is a warning from half an L1 slot on, and a fault from more than one on", () => {
  expect(after(10, 10, 10).log).toEqual([]);
  expect(after(11, 12, 16).log).toEqual(["warn: the clock is 7 s ahead of L1"]);
  const wrong = after(17, 18, 30);
  expect(wrong.check.fault()).toBe("the clock is 13 s ahead of L1");
  wrong.arrive([2]);
  expect(wrong.check.fault()).toBeUndefined();
  expect(wrong.log).toHaveLength(2);
  expect(wrong.log[1]).toBe("info: the clock agrees with L1 again");
});

test("nothing is signed while the clock is wrong", async () => {
  const clock = { fault: undefined as string | undefined };
  const now = () => startOf(10) + 5000;
  const guard = new ClockedGuard(recordingGuard(TIMES, now), { fault: () => clock.fault });
  const request = {
    signer: new LocalSigner(new Uint8Array(32).fill(1)),
    duty: { kind: "ATTESTATION", slot: 10 },
    message: { kind: "digest", digest: new Uint8Array(32) },
  } as const;
  clock.fault = "the clock is 13 s behind L1";
  await expect(guard.sign(request)).rejects.toMatchObject({
    reason: "time",
    message: expect.stringContaining("does not sign ATTESTATION of slot 10: the clock is 13 s behind L1"),
  });
  clock.fault = undefined;
  expect(await guard.sign(request)).toHaveLength(65);
});
