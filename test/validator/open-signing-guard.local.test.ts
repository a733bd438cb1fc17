import { cpSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/storage/store.ts";
import { StoreFullError } from "../../src/storage/store-errors.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { openSigningGuard } from "../../src/validator/open-signing-guard.ts";
import { Recording } from "../../src/validator/signing/recording.ts";
import type { Claim, ClaimAnswer } from "../../src/validator/signing/signed-duties.ts";
import type { SigningGuard } from "../../src/validator/signing/signing-guard.ts";
import { attestation, ROLLUP, request, signedBy, signer, TIMES, within } from "../world/validator/requests.ts";

const clock = { now: within(100) };
let root: string;
let open: SigningGuard[];

beforeEach(() => {
  clock.now = within(100);
  root = mkdtempSync(join(tmpdir(), "svc-guard-"));
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((guard) => guard.close()));
  rmSync(root, { recursive: true });
});

/** A guard over a folder, as a process has it that starts at the clock's time. */
async function guardOf(folder = "signing"): Promise<SigningGuard> {
  const guard = await openSigningGuard({
    folder: join(root, folder),
    rollup: ROLLUP,
    times: TIMES,
    now: () => clock.now,
    group: undefined,
    logger: silentLogger,
  });
  open.push(guard);
  return guard;
}

async function stop(guard: SigningGuard): Promise<void> {
  open = open.filter((other) => other !== guard);
  await guard.close();
}

/** A guard that was started long enough ago to sign at the clock's time. */
async function runningGuard(folder?: string): Promise<SigningGuard> {
  clock.now = within(100);
  const guard = await guardOf(folder);
  clock.now = within(102);
  return guard;
}

const refusal = (reason: string) => expect.objectContaining({ name: "SigningRefusedError", reason });

test("the guard signs a digest as a personal message with the signer's key", async () => {
  const guard = await runningGuard();
  const signature = await guard.sign(request(attestation(102), "a"));
  expect(signature).toHaveLength(65);
  expect(signedBy(signature, "a")).toBe(signer().address);
});

test("the guard signs the same message again, and no other message of the duty", async () => {
  const guard = await runningGuard();
  const first = await guard.sign(request(attestation(102), "a"));
  expect(await guard.sign(request(attestation(102), "a"))).toEqual(first);
  await expect(guard.sign(request(attestation(102), "b"))).rejects.toEqual(refusal("other message"));
});

test("of two different messages that are requested at once, one is signed", async () => {
  const guard = await runningGuard();
  const texts = ["a", "b", "c"];
  const results = await Promise.allSettled(texts.map((text) => guard.sign(request(attestation(102), text))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("duties of other kinds, slots, block indices and validators are signed independently", async () => {
  const guard = await runningGuard();
  const block = (indexWithinCheckpoint: number) =>
    ({ kind: "BLOCK_PROPOSAL", slot: 102, blockNumber: 7, indexWithinCheckpoint }) as const;
  const requests = [
    request(attestation(102), "a"),
    request(attestation(101), "b"),
    request(attestation(102), "c", signer(2)),
    request({ kind: "CHECKPOINT_PROPOSAL", slot: 102 }, "d"),
    request({ kind: "ATTESTATIONS_AND_SIGNERS", slot: 102 }, "e"),
    request({ kind: "GOVERNANCE_VOTE", slot: 102 }, "f"),
    request({ kind: "SLASHING_VOTE", slot: 102 }, "g"),
    request(block(0), "h"),
    request(block(1), "i"),
  ];
  clock.now = within(101, 70);
  const signatures = await Promise.all(requests.map((one) => guard.sign(one)));
  expect(new Set(signatures.map(String)).size).toBe(requests.length);
  await expect(guard.sign(request(block(1), "j"))).rejects.toEqual(refusal("other message"));
});

test("the record outlives the process", async () => {
  const first = await runningGuard();
  const signature = await first.sign(request(attestation(102), "a"));
  await stop(first);
  const second = await guardOf();
  await expect(second.sign(request(attestation(102), "b"))).rejects.toEqual(refusal("other message"));
  expect(await second.sign(request(attestation(102), "a"))).toEqual(signature);
});

test("a message is recorded before the signer is asked, so a failed signature binds the duty to its message", async () => {
  const guard = await runningGuard();
  const failing = { ...request(attestation(102), "a"), signer: Object.assign(signer(), { signMessage: broken }) };
  await expect(guard.sign(failing)).rejects.toThrow("the signer is away");
  await expect(guard.sign(request(attestation(102), "b"))).rejects.toEqual(refusal("other message"));
  expect(signedBy(await guard.sign(request(attestation(102), "a")), "a")).toBe(signer().address);
});

async function broken(): Promise<Uint8Array> {
  throw new Error("the signer is away");
}

test("a start without a record signs no slot that an earlier process could have signed", async () => {
  // 10 s before slot 101, a validator of another machine may have proposed in slot 101 already.
  clock.now = within(100, 62);
  const guard = await guardOf();
  for (const slot of [100, 101]) {
    await expect(guard.sign(request(attestation(slot), "a"))).rejects.toEqual(refusal("unknown past"));
  }
  clock.now = within(101, 62);
  await expect(guard.sign(request(attestation(101), "a"))).rejects.toEqual(refusal("unknown past"));
  expect(await guard.sign(request(attestation(102), "a"))).toHaveLength(65);
});

test("a folder that was restored from an older backup signs nothing that the newer one may have signed", async () => {
  const guard = await runningGuard();
  await stop(guard);
  cpSync(join(root, "signing"), join(root, "backup"), { recursive: true });
  const later = await guardOf();
  clock.now = within(104);
  await later.sign(request(attestation(104), "a"));
  clock.now = within(104, 65);
  await later.sign(request({ kind: "CHECKPOINT_PROPOSAL", slot: 105 }, "b"));
  await stop(later);
  const restored = await guardOf("backup");
  await expect(restored.sign(request(attestation(104), "x"))).rejects.toEqual(refusal("unknown past"));
  const other = request({ kind: "CHECKPOINT_PROPOSAL", slot: 105 }, "y");
  await expect(restored.sign(other)).rejects.toEqual(refusal("unknown past"));
  clock.now = within(106);
  expect(await restored.sign(request(attestation(106), "x"))).toHaveLength(65);
});

test("after a clock was set back, the guard waits until it passes the newest recorded slot", async () => {
  const guard = await runningGuard();
  await guard.sign(request(attestation(102), "a"));
  await stop(guard);
  clock.now = within(90);
  const late = await guardOf();
  clock.now = within(99);
  await expect(late.sign(request(attestation(99), "a"))).rejects.toEqual(refusal("unknown past"));
  clock.now = within(103);
  expect(await late.sign(request(attestation(103), "a"))).toHaveLength(65);
});

test("two guards on one folder sign one message together", async () => {
  const [first, second] = [await runningGuard(), await runningGuard()];
  await first.sign(request(attestation(102), "a"));
  await expect(second.sign(request(attestation(102), "b"))).rejects.toEqual(refusal("other message"));
  expect(await second.sign(request(attestation(102), "a"))).toHaveLength(65);
});

test("a duty is signed from one L1 slot before its slot until the end of the next slot", async () => {
  const guard = await runningGuard();
  clock.now = within(102, 58);
  await expect(guard.sign(request(attestation(103), "a"))).rejects.toEqual(refusal("time"));
  clock.now = within(102, 60);
  await guard.sign(request(attestation(103), "a"));
  clock.now = within(104, 71);
  await guard.sign(request(attestation(103), "a"));
  clock.now = within(105, 0);
  await expect(guard.sign(request(attestation(103), "a"))).rejects.toEqual(refusal("time"));
});

test("a slot whose records were deleted is never signed again", async () => {
  const guard = await runningGuard();
  await guard.sign(request(attestation(102), "a"));
  clock.now = within(300);
  await guard.sign(request(attestation(300), "a"));
  clock.now = within(102);
  await expect(guard.sign(request(attestation(102), "b"))).rejects.toEqual(refusal("unknown past"));
});

test("a refusal is one line that names validator, duty and rule", async () => {
  const guard = await runningGuard();
  await guard.sign(request(attestation(102), "a"));
  const error = await guard.sign(request(attestation(102), "b")).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(
    /^SigningRefusedError: 0x[0-9a-f]{40} does not sign ATTESTATION of slot 102: another message is on record, 0x[0-9a-f]{8}\.\. and not 0x[0-9a-f]{8}\.\.$/,
  );
});

test("duties with numbers that cannot be stored are refused", async () => {
  const guard = await runningGuard();
  for (const slot of [-1, 1.5, Number.NaN, 2 ** 48]) {
    await expect(guard.sign(request(attestation(slot), "a"))).rejects.toThrow("slot must be a whole number");
  }
  const message = { kind: "digest", digest: new Uint8Array(31) } as const;
  await expect(guard.sign({ ...request(attestation(102), "a"), message })).rejects.toThrow("32 bytes, not 31");
});

test("a store of signatures of another version is refused and left as it is", async () => {
  const store = openStore({ path: join(root, "signing") });
  store.transaction(() => store.table("signing_schema").put(Buffer.from("version"), Buffer.from("2")));
  await store.close();
  await expect(guardOf()).rejects.toThrow(/signing has schema version 2; this program reads version 1$/);
});

test("a store of signatures that was cut off is refused in one line", async () => {
  const guard = await runningGuard();
  await guard.sign(request(attestation(102), "a"));
  await stop(guard);
  truncateSync(join(root, "signing", "data.mdb"), 12_288);
  await expect(guardOf()).rejects.toMatchObject({
    name: "DamagedStoreError",
    message: expect.stringMatching(/^[^\n]*signing[^\n]*$/),
  });
});

test("a record that cannot be written refuses the duty in one line, and the next attempt may succeed", async () => {
  let full = true;
  const duties = {
    claim(claims: readonly Claim[]): ClaimAnswer[] {
      if (full) throw new StoreFullError("/data/signing", "disk");
      return claims.map(() => ({ kind: "recorded" }));
    },
  };
  const recording = new Recording(duties);
  const claim = { validator: signer().address, duty: attestation(1), hash: new Uint8Array(32), knownUpTo: -1 };
  const error = await recording.record(claim).catch((thrown: unknown) => thrown);
  expect(error).toEqual(refusal("record"));
  expect(String(error)).toMatch(/does not sign ATTESTATION of slot 1: [^\n]+$/);
  full = false;
  await recording.record(claim);
});
