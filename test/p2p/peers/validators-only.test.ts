import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect, test } from "vitest";
import { ProtectedPeers } from "../../../src/p2p/peers/protected-peers.ts";
import type { RequestAnswer } from "../../../src/p2p/peers/request-client.ts";
import { ValidatorsOnly } from "../../../src/p2p/peers/validators-only.ts";
import {
  authPayloadHash,
  decodeAuthRequest,
  encodeAuthResponse,
} from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import type { StatusMessage } from "../../../src/p2p/reqresp/codecs/status-message.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { digestSigner } from "../../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../../src/protocol/personal-message.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { FakeHost } from "../../world/p2p/fake-host.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";

const OWN: StatusMessage = {
  version: "00-1-603bb2c0-7-2672340d-1dd2644a",
  latestBlock: 5,
  latestHash: "",
  finalizedBlock: 2,
};
const keys = [1, 2].map((n) => new Uint8Array(32).fill(n));

function signature(hash: Uint8Array, key: Uint8Array): Uint8Array {
  const [recovery, ...rs] = secp256k1.sign(personalMessage(hash), key, { prehash: false, format: "recovered" });
  return concat(Uint8Array.from(rs), Uint8Array.of(0, 0, 0, 27 + recovery));
}

function addressOf(key: Uint8Array): Uint8Array {
  const hash = authPayloadHash(new Uint8Array(32));
  return digestSigner(personalMessage(hash), signature(hash, key), recoverSigner, V4.consensus) as Uint8Array;
}

const addresses = keys.map(addressOf);

/** Peers answer with the signature of the key of their name, and `registered` are the attesters on L1. */
function admission(registered: Uint8Array[] = addresses, version = OWN.version) {
  const host = new FakeHost();
  const clock = { now: 0 };
  const onL1 = { attesters: registered, reads: 0, isDown: false };
  const keyOf = new Map<string, Uint8Array>();
  const validators = new ValidatorsOnly({
    host,
    rollup: V4_ROLLUP,
    client: {
      async request(peer, protocol, bytes): Promise<RequestAnswer> {
        expect(protocol).toBe("auth");
        const { challenge, status } = decodeAuthRequest(bytes);
        expect(status).toEqual(OWN);
        const key = keyOf.get(peer);
        const body =
          key === undefined
            ? new Uint8Array()
            : encodeAuthResponse({
                status: { ...OWN, version },
                signature: signature(authPayloadHash(challenge), key),
              });
        return { status: 0, body };
      },
    },
    protectedPeers: new ProtectedPeers({
      trusted: [{ id: "trusted", address: undefined, enr: "" }],
      private: [],
      preferred: [],
    }),
    statusHandshake: { check: async (peer) => ({ passed: false, reason: `status of ${peer}` }) },
    status: () => OWN,
    attesters: async () => {
      onL1.reads++;
      if (onL1.isDown) throw new Error("L1 does not answer");
      return onL1.attesters;
    },
    allowedFailures: 3,
    now: () => clock.now,
    logger: silentLogger,
  });
  const connect = (peer: string, key?: Uint8Array) => {
    if (key !== undefined) keyOf.set(peer, key);
    host.connect(peer);
    return validators.check(peer);
  };
  return { host, clock, onL1, validators, connect };
}

test("a peer that signs with the key of a registered attester is admitted until it disconnects", async () => {
  const { host, validators, connect } = admission();
  expect(await connect("a", keys[0])).toEqual({ passed: true });
  expect(validators.isAdmitted("a")).toBe(true);
  await host.hangUp("a");
  expect(validators.isAdmitted("a")).toBe(false);
});

test("a listed peer is asked for its status only and is admitted", async () => {
  const { validators, connect } = admission();
  expect(await connect("trusted")).toEqual({ passed: false, reason: "status of trusted" });
  expect(validators.isAdmitted("trusted")).toBe(true);
});

test("a second peer with the same attester stays connected without being admitted", async () => {
  const { validators, connect } = admission();
  await connect("a", keys[0]);
  expect(await connect("b", keys[0])).toEqual({ passed: true });
  expect([validators.isAdmitted("a"), validators.isAdmitted("b")]).toEqual([true, false]);
});

test("the reason for a failure names what is wrong", async () => {
  const strangers = admission([addresses[1]]);
  expect(await strangers.connect("a", keys[0])).toEqual({
    passed: false,
    reason: `${toHex(addresses[0])} is not a registered attester`,
  });
  expect(await strangers.connect("silent")).toMatchObject({
    passed: false,
    reason: expect.stringContaining("auth response"),
  });
  const otherNetwork = admission(addresses, "00-1-603bb2c0-8-2672340d-1dd2644a");
  expect(await otherNetwork.connect("a", keys[0])).toMatchObject({
    passed: false,
    reason: expect.stringContaining("version"),
  });
});

test("after more failures than allowed the peer and its IP address are refused, until a peer there passes", async () => {
  const { validators, connect } = admission();
  for (let i = 0; i < 4; i++) await connect("bad");
  expect([validators.refuses("bad"), validators.refuses("127.0.0.1")]).toEqual([true, true]);
  await connect("good", keys[0]);
  expect([validators.refuses("bad"), validators.refuses("127.0.0.1")]).toEqual([true, false]);
});

test("the attesters are read from L1 once a minute, and peers of those that left are disconnected", async () => {
  const { host, clock, onL1, validators, connect } = admission();
  await connect("a", keys[0]);
  await connect("b", keys[1]);
  await validators.upkeep();
  expect(onL1.reads).toBe(1);
  onL1.attesters = [addresses[1]];
  clock.now = 60_000;
  await validators.upkeep();
  expect(onL1.reads).toBe(2);
  expect(host.peers().map(({ id }) => id)).toEqual(["b"]);
});

test("while L1 does not answer no peer is admitted, and none is refused for it later", async () => {
  const { onL1, validators, connect } = admission();
  onL1.isDown = true;
  for (let i = 0; i < 5; i++) {
    expect(await connect("a", keys[0])).toMatchObject({ passed: false, reason: expect.stringContaining("attesters") });
  }
  expect([validators.refuses("a"), validators.refuses("127.0.0.1")]).toEqual([false, false]);
  onL1.isDown = false;
  expect(await connect("a", keys[0])).toEqual({ passed: true });
  expect(validators.isAdmitted("a")).toBe(true);
});

test("a second peer with the same attester does not clear the failures of its IP address", async () => {
  const { validators, connect } = admission();
  await connect("a", keys[0]);
  for (let i = 0; i < 4; i++) await connect("bad");
  await connect("b", keys[0]);
  expect(validators.refuses("127.0.0.1")).toBe(true);
});
