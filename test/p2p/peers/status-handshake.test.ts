import { expect, test } from "vitest";
import { type RequestClient, RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { StatusHandshake } from "../../../src/p2p/peers/status-handshake.ts";
import { decodeStatus, encodeStatus, type StatusMessage } from "../../../src/p2p/reqresp/codecs/status-message.ts";

const OWN: StatusMessage = {
  version: "00-1-603bb2c0-7-2672340d-1dd2644a",
  latestBlock: 5,
  latestHash: "",
  finalizedBlock: 2,
};
const { SUCCESS, RATE_LIMIT_EXCEEDED } = RequestStatus;

function answering(status: RequestStatus, body: Uint8Array) {
  const asked: [string, string, StatusMessage][] = [];
  const client: RequestClient = {
    async request(peer, protocol, request) {
      asked.push([peer, protocol, decodeStatus(request)]);
      return { status, body };
    },
  };
  return { asked, handshake: new StatusHandshake(client, () => OWN) };
}

test("a peer of the same version passes, however far its chain is", async () => {
  const other = { ...OWN, latestBlock: 1000, latestHash: `0x${"ab".repeat(32)}`, finalizedBlock: 0 };
  const { asked, handshake } = answering(SUCCESS, encodeStatus(other));
  expect(await handshake.check("peer")).toEqual({ passed: true });
  expect(asked).toEqual([["peer", "status", OWN]]);
});

test("a peer of another version fails with both versions in the reason", async () => {
  const { handshake } = answering(SUCCESS, encodeStatus({ ...OWN, version: "00-1-603bb2c0-8-2672340d-1dd2644a" }));
  expect(await handshake.check("peer")).toEqual({
    passed: false,
    reason: "its version is 00-1-603bb2c0-8-2672340d-1dd2644a, not 00-1-603bb2c0-7-2672340d-1dd2644a",
  });
});

test("a status other than success fails", async () => {
  const { handshake } = answering(RATE_LIMIT_EXCEEDED, new Uint8Array());
  expect(await handshake.check("peer")).toEqual({ passed: false, reason: "it answered with status 1" });
});

test.each([
  ["nothing", new Uint8Array()],
  ["a cut status", encodeStatus(OWN).subarray(0, 20)],
  ["a version of 65 bytes", encodeStatus({ ...OWN, version: "0".repeat(65) })],
])("a peer that answers with %s fails", async (_, body) => {
  const { handshake } = answering(SUCCESS, body);
  expect(await handshake.check("peer")).toMatchObject({
    passed: false,
    reason: expect.stringContaining("status message"),
  });
});
