/** As signing-process.ts, but signs through the reference's package. The options name its folder `node_modules`. */
import { randomBytes, randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../../../../src/protocol/bytes.ts";
import { DUTY_KINDS, dutyText } from "../../../../src/validator/signing/duty.ts";
import { ROLLUP, signer } from "../../../world/validator/requests.ts";
import { fastSlot, SLOT_MS } from "./fast-clock.ts";

const { group, packages } = JSON.parse(process.argv[2]);
const { resolve } = createRequire(join(packages, "x.js"));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { createHASigner } = await load("@aztec/validator-ha-signer/factory");
const { EthAddress } = await load("@aztec/foundation/eth-address");
const { Buffer32 } = await load("@aztec/foundation/buffer");
const { Signature } = await load("@aztec/foundation/eth-signature");

const { signer: guard } = await createHASigner({
  ...group,
  haSigningEnabled: true,
  l1Contracts: { rollupAddress: EthAddress.fromString(ROLLUP) },
  pollingIntervalMs: 5,
  signingTimeoutMs: 2 * SLOT_MS,
  // It may delete its own lock of a slow signature and still return the signature.
  maxStuckDutiesAgeMs: 60_000,
  poolMaxCount: 4,
});
writeSync(1, "ready\n");

async function signForever() {
  for (;;) {
    const kind = DUTY_KINDS[randomInt(DUTY_KINDS.length)];
    const slot = fastSlot() + randomInt(2);
    const index = kind === "BLOCK_PROPOSAL" ? { indexWithinCheckpoint: randomInt(2) } : {};
    const duty = { kind, slot, blockNumber: slot, ...index };
    const validator = signer(randomInt(3));
    const digest = keccak_256(randomBytes(8));
    const context = {
      slot,
      blockNumber: slot,
      dutyType: kind,
      blockIndexWithinCheckpoint: index.indexWithinCheckpoint,
    };
    try {
      const address = EthAddress.fromString(validator.address);
      const signature = await guard.signWithProtection(
        address,
        Buffer32.fromBuffer(Buffer.from(digest)),
        context,
        async () => Signature.fromString(toHex(await validator.signMessage(digest))),
      );
      writeSync(1, `${validator.address} ${dutyText(duty)} ${toHex(digest)} ${signature.toString()}\n`);
    } catch {
      await new Promise((go) => setImmediate(go));
    }
  }
}

process.on("uncaughtException", () => {});
await Promise.all(Array.from({ length: 6 }, signForever));
