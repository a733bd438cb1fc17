import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { signedRecord } from "../../../src/p2p/discovery/node-record.ts";
import { generatePeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import {
  authPayloadHash,
  decodeAuthResponse,
  encodeAuthRequest,
} from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { authHandler } from "../../../src/p2p/reqresp/handlers/auth.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { digestSigner } from "../../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../../src/protocol/personal-message.ts";
import { freePort } from "../../support/free-port.ts";
import type { Checks } from "../../world/live/checks.ts";
import { until } from "../../world/live/json-rpc.ts";
import {
  type Listed,
  peersOf,
  type ReferenceControl,
  type ReferenceNetwork,
  type ReferenceNode,
  referenceNetwork,
} from "../../world/live/reference-network.ts";
import { type TestPeer, testPeer } from "../../world/p2p/peer-nodes.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { type Answered, askEverything, blockWithTxs } from "./requests.ts";

export interface AskOptions {
  ours: Listed & { url: string };
  network: ReferenceNetwork;
  file: string;
  control: ReferenceControl;
  checks: Checks;
}

const status = (version: string) => ({ version, latestBlock: 1, latestHash: "", finalizedBlock: 0 });

/** Asks our node and each reference node for something of every protocol; the answers must be the same. */
export async function askAll({ ours, network, checks }: Omit<AskOptions, "file" | "control">): Promise<void> {
  const asked = [ours, ...network.nodes];
  const { version } = network;
  const client = await testPeer({ version, listed: { trusted: asked, private: [], preferred: [] } });
  try {
    const ids = asked.map(({ id }) => id);
    await until("the client is connected", 60_000, async () => ids.every((id) => client.node.peers.isConnected(id)));
    const block = await blockWithTxs(ours.url);
    const answers: Map<string, Answered>[] = [];
    for (const { id } of asked) answers.push(await askEverything(client, id, block));
    const [own, ...theirs] = answers;
    for (const [what, answer] of own) {
      // Only validators take part in authentication.
      if (what === "auth") {
        const passed = answer.status === 126 && theirs.every((of) => of.get(what)?.status === 0);
        checks.add("reference validators answer auth; ours, without a validator, does not offer it", passed, answer);
        continue;
      }
      const same = theirs.every((of) => JSON.stringify({ ...of.get(what) }) === JSON.stringify(answer));
      checks.add(`ours and the reference nodes answer alike to ${what}`, same, { ours: answer, of: theirs.length });
    }
  } finally {
    await client.node.stop();
  }
}

interface TapLine {
  kind: string;
  peer: string;
  protocol: string;
  status: number;
}

/**
 * Lets a reference observer ask all its peers for everything, and counts its requests to ours by protocol and status.
 * It knows only our bootnode.
 */
export async function observed({ ours, network, file, control, checks }: AskOptions, bootnode: string): Promise<void> {
  const from = Date.now();
  await control.start("observer", { BOOTSTRAP_NODES: bootnode, TAP: "1", TAP_PROBE: "4" });
  try {
    const { url } = observerOf(file);
    await checks.of(
      "a reference node that knows only our bootnode finds ours and the other reference nodes",
      async () => {
        const wanted = [ours, ...network.nodes].map(({ id }) => id);
        await until("the observer's peers", 120_000, async () => {
          const peers = await peersOf(url);
          return wanted.every((id) => peers.has(id));
        });
        return { passed: true, figures: { secondsFromItsStart: (Date.now() - from) / 1000, peers: wanted.length } };
      },
    );
    await new Promise((resolve) => setTimeout(resolve, 90_000));
    await checks.of("the observer's score of ours is healthy", async () => {
      const score = (await peersOf(url)).get(ours.id);
      return { passed: score === 0, figures: { score } };
    });
  } finally {
    await control.stop("observer");
  }
  await checks.of("a reference node's requests to ours get the statuses that its requests to others get", async () => {
    const lines = readFileSync(join(dirname(file), "tap-observer.jsonl"), "utf8")
      .trim()
      .split("\n");
    const requests = lines.map((line) => JSON.parse(line) as TapLine).filter(({ kind }) => kind === "request");
    const counted = (of: TapLine[]) => {
      const counts: Record<string, number> = {};
      for (const { protocol, status } of of) {
        const key = `${protocol.split("/")[3]} ${status}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    };
    const toOurs = counted(requests.filter(({ peer }) => peer === ours.id));
    const toOthers = counted(requests.filter(({ peer }) => peer !== ours.id));
    const passed =
      ["status 0", "ping 0", "tx 0", "block 0", "block_txs 0"].every((key) => (toOurs[key] ?? 0) > 0) &&
      Object.keys(toOurs).every((key) => key in toOthers);
    return { passed, figures: { toOurs, toOthers } };
  });
}

function observerOf(file: string): ReferenceNode {
  const { observer } = referenceNetwork(file);
  if (observer === undefined) throw new Error("the observer was not started");
  return observer;
}

function sign(hash: Uint8Array, key: Uint8Array): Uint8Array {
  const [recovery, ...rs] = secp256k1.sign(personalMessage(hash), key, { prehash: false, format: "recovered" });
  return concat(Uint8Array.from(rs), Uint8Array.of(0, 0, 0, 27 + recovery));
}

/**
 * Authentication in both directions: a reference validator that lists the client proves its key to it, and a reference
 * node that admits validators only admits the client, which signs with a validator's key.
 */
export async function authenticate({ network, file, control, checks }: Omit<AskOptions, "ours">): Promise<void> {
  const { version, nodes, validators } = network;
  const identity = generatePeerIdentity();
  const port = await freePort();
  const content = { version, release: "4.1.2", ip: "127.0.0.1", udp: port, tcp: port };
  const enr = signedRecord(identity, content, 7n).encodeTxt();
  const spare = validators[validators.length - 1];
  let challenges = 0;
  const auth = authHandler(
    {
      mayAsk: () => true,
      async sign(hash) {
        challenges++;
        return sign(hash, fromHex(spare.key));
      },
    },
    () => status(version),
  );
  const last = nodes[nodes.length - 1];
  await control.stop(last.name);
  await control.start(last.name, { P2P_PRIVATE_PEERS: enr });
  await control.start("observer", { P2P_ALLOW_ONLY_VALIDATORS: "true", BOOTSTRAP_NODES: "" });
  const observer = observerOf(file);
  const client: TestPeer = await testPeer(
    {
      ...{ version, identity },
      listen: { address: "127.0.0.1", port },
      listed: { trusted: [last, observer], private: [], preferred: [] },
    },
    undefined,
    { handlers: { auth } },
  );
  try {
    await checks.of("a reference validator proves to a peer that it lists that it has an attester's key", async () => {
      await until("the client is connected", 60_000, async () => client.node.peers.isConnected(last.id));
      const challenge = new Uint8Array(32).fill(1);
      const request = encodeAuthRequest({ status: status(version), challenge });
      const answer = await client.node.client.request(last.id, "auth", request);
      const signer = digestSigner(
        personalMessage(authPayloadHash(challenge)),
        decodeAuthResponse(answer.body).signature,
        recoverSigner,
        V4.consensus,
      );
      const found = signer === undefined ? "none" : toHex(signer);
      const attester = validators[Number(last.name) - 1].address.toLowerCase();
      return { passed: found === attester, figures: { status: answer.status, signer: found } };
    });
    await checks.of("a reference node for validators only admits our peer with an attester's key", async () => {
      await until("the observer's challenge", 60_000, async () => challenges > 0);
      // It disconnects refused peers at its heartbeat, which comes each 2 s.
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      const peers = await peersOf(observer.url);
      return { passed: peers.get(identity.id) === 0, figures: { challenges, score: peers.get(identity.id) } };
    });
  } finally {
    await client.node.stop();
    await control.stop("observer");
  }
}
