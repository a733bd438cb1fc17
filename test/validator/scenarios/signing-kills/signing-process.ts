/**
 * Signs duties of the current slots through a guard, again and again, each time another message, until it is killed.
 * Prints `ready`, then one line for each signature that left the guard.
 */
import { randomBytes, randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../../../../src/protocol/bytes.ts";
import { silentLogger } from "../../../../src/telemetry/logger.ts";
import { openSigningGuard } from "../../../../src/validator/open-signing-guard.ts";
import { DUTY_KINDS, type Duty, dutyText } from "../../../../src/validator/signing/duty.ts";
import { prepareRequest, type SigningGuard } from "../../../../src/validator/signing/signing-guard.ts";
import { SigningRefusedError } from "../../../../src/validator/signing/signing-refused-error.ts";
import { ROLLUP, signer, TIMES } from "../../../world/validator/requests.ts";
import { fastNow, fastSlot, SLOT_MS } from "./fast-clock.ts";

export interface SigningProcessOptions {
  folder: string;
  /** Sign without a guard, to show that the check finds what it looks for. */
  unguarded: boolean;
  group: { databaseUrl: string; nodeId: string } | undefined;
}

const VALIDATORS = 3;
const CONCURRENCY = 6;

const signers = Array.from({ length: VALIDATORS }, (_, i) => signer(i));
const { folder, unguarded, group } = JSON.parse(process.argv[2]) as SigningProcessOptions;

const noGuard: SigningGuard = {
  sign: (request) => prepareRequest(request).makeSignature(undefined),
  close: async () => {},
};

function openGuard(): Promise<SigningGuard> {
  return openSigningGuard({
    folder,
    rollup: ROLLUP,
    times: TIMES,
    now: fastNow,
    group: group && {
      ...group,
      pollingIntervalMs: 5,
      signingTimeoutMs: 2 * SLOT_MS,
      stuckAgeMs: 2 * SLOT_MS,
      signedAgeHours: undefined,
      pool: { maxConnections: 4, minConnections: 0, idleTimeoutMs: 10_000, connectionTimeoutMs: 0 },
    },
    logger: silentLogger,
  });
}

function someDuty(): Duty {
  const kind = DUTY_KINDS[randomInt(DUTY_KINDS.length)];
  const slot = fastSlot() + randomInt(2);
  return kind === "BLOCK_PROPOSAL"
    ? { kind, slot, blockNumber: slot, indexWithinCheckpoint: randomInt(2) }
    : { kind, slot };
}

async function signForever(guard: SigningGuard): Promise<never> {
  for (;;) {
    const duty = someDuty();
    const validator = signers[randomInt(VALIDATORS)];
    const digest = keccak_256(randomBytes(8));
    try {
      const signature = await guard.sign({ signer: validator, duty, message: { kind: "digest", digest } });
      writeSync(1, `${validator.address} ${dutyText(duty)} ${toHex(digest)} ${toHex(signature)}\n`);
    } catch (error) {
      if (!(error instanceof SigningRefusedError)) throw error;
      // Refusals that are found without waiting must not starve timers and sockets.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const guard = unguarded ? noGuard : await openGuard();
writeSync(1, "ready\n");
await Promise.all(Array.from({ length: CONCURRENCY }, () => signForever(guard)));
