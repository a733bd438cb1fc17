import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ENR } from "@chainsafe/enr";
import { privateKeyToAddress } from "viem/accounts";
import type { DevnetRecord } from "../../../src/devnet/folder.ts";
import { componentVersion } from "../../../src/protocol/consensus/component-version.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Devnet } from "./devnet.ts";
import { call, until } from "./json-rpc.ts";
import type { ReferenceControl, ReferenceNetwork } from "./reference-network.ts";

const RECORD_MS = 120_000;
const WEI = "0x21e19e0c9bab2400000";

/** A network whose nodes are of this project, in place of one of reference nodes. */
export interface DevnetNetwork {
  network: ReferenceNetwork;
  control: Pick<ReferenceControl, "environment" | "stop" | "start">;
  end(): Promise<void>;
}

interface DevnetNetworkOptions {
  folder: string;
  /** Validators with a node of the network. */
  validators: number;
  /** Further ones, whose nodes are the caller's. Their accounts have ETH. */
  leave: number;
  environment?: Readonly<Record<string, string>>;
}

/** Private key of a validator, 0x text. */
function keyOf(devnet: Devnet, name: string): `0x${string}` {
  const text = readFileSync(join(devnet.folder.keys(name), "key1.json"), "utf8");
  return (JSON.parse(text) as { validators: { attester: { eth: `0x${string}` } }[] }).validators[0].attester.eth;
}

/** Of a length that a machine with many other nodes keeps up with. */
const SLOTS = { ETHEREUM_SLOT_DURATION: "4", AZTEC_SLOT_DURATION: "24", SEQ_BLOCK_DURATION_MS: "6000" };

/** What each node of the caller has of its own. */
const OF_ITS_OWN = /^(DATA_DIRECTORY|KEY_STORE_DIRECTORY|P2P_PORT|AZTEC_PORT|AZTEC_ADMIN_PORT|SVC_METRICS_PORT)$/;

/** Runs `svc devnet`. Resolves once its nodes answer. */
export async function startDevnetNetwork(options: DevnetNetworkOptions): Promise<DevnetNetwork> {
  const { folder, validators, leave, environment = {} } = options;
  const counts = ["--validators", String(validators), "--leave", String(leave)];
  const devnet = await Devnet.start({ folder, args: ["--fast", ...counts], environment: { ...SLOTS, ...environment } });
  const { plan, deployed } = JSON.parse(readFileSync(join(folder, "devnet.json"), "utf8")) as DevnetRecord;
  if (deployed === undefined) throw new Error("the network is not deployed");
  const all = await devnet.nodes();
  const urlOf = (name: string) => all.find((node) => node.name === name)?.rpc ?? "";
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
  const names = [...numbered("validator", plan.validators), ...numbered("own", plan.leave)];
  const keys = names.map((name) => {
    const key = keyOf(devnet, name);
    return { key, address: privateKeyToAddress(key) };
  });
  for (const { address } of keys.slice(validators)) await call(urlOf("l1"), "anvil_setBalance", address, WEI);
  const nodes = await Promise.all(
    numbered("validator", plan.validators).map(async (name, i) => {
      const url = urlOf(name);
      const ask = () => call(url, "node_getEncodedEnr") as Promise<string>;
      const enr = await until(`the record of ${name}`, RECORD_MS, ask);
      const record = ENR.decodeTxt(enr);
      const address = `/ip4/${record.ip}/tcp/${record.tcp}`;
      return { name: String(i + 1), enr, id: record.peerId.toString(), address, url };
    }),
  );
  const settings = devnet.leftSettings("own-1");
  const { rollupAddress } = deployed.addresses;
  return {
    network: {
      version: componentVersion(
        { l1ChainId: 31337, rollupAddress, rollupVersion: deployed.rollupVersion },
        V4.contracts,
      ),
      rollupAddress,
      slotDurationMs: deployed.slotSeconds * 1000,
      epochSlots: deployed.epochSlots,
      committeeSize: validators + leave,
      blockDurationMs: Number(SLOTS.SEQ_BLOCK_DURATION_MS),
      genesisMs: deployed.l1GenesisTime * 1000,
      nodes,
      observer: undefined,
      validators: keys,
    },
    control: {
      environment: async () => ({
        ...Object.fromEntries(Object.entries(settings).filter(([variable]) => !OF_ITS_OWN.test(variable))),
        ...{ ...SLOTS, ...environment },
      }),
      stop: (node, signal) => devnet.act(signal === undefined ? "stop" : "kill", `validator-${node}`),
      start: (node) => devnet.act("restart", `validator-${node}`),
    },
    end: () => devnet.stop(),
  };
}
