import { setTimeout as sleep } from "node:timers/promises";
import { deployRequest } from "../../src/cli/deploy/deploy-request.ts";
import { configure } from "../../src/config/configuration.ts";
import { EpochCommittees } from "../../src/l1/committee/epoch-committee.ts";
import { type SlotCommittee, SlotCommittees } from "../../src/l1/committee/slot-committees.ts";
import { deployL1Contracts } from "../../src/l1/deploy/deploy-l1-contracts.ts";
import { readIdentity } from "../../src/l1/rollup/identity.ts";
import { block } from "../../src/l1/rpc/answers.ts";
import { L1Rpc } from "../../src/l1/rpc/l1-rpc.ts";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import type { RollupIdentity } from "../../src/l1/types.ts";
import { anvilBinary } from "../../src/local-network/anvil-binary.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { slotAt } from "../../src/protocol/time.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { seeded } from "../../test/world/mempool/pool-txs.ts";
import { freePort } from "./recorded-nodes.ts";
import { ServerProcess } from "./server-process.ts";

/** As large as on the public networks. */
const COMMITTEE = 48;
const L1_SLOT_S = 4;
/** The contracts are deployed in the past, because a committee is sampled from the validators of an earlier epoch. */
const AGE_S = 3600;

/** Settings of a network without blocks, for the contracts and for every node. */
export const COMMITTEE_NETWORK = {
  ETHEREUM_SLOT_DURATION: String(L1_SLOT_S),
  AZTEC_SLOT_DURATION: "8",
  AZTEC_EPOCH_DURATION: "4",
  AZTEC_TARGET_COMMITTEE_SIZE: String(COMMITTEE),
  AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "1",
  AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "1",
  AZTEC_SLASHER_FLAVOR: "none",
  TEST_ACCOUNTS: "true",
  SPONSORED_FPC: "true",
  PROVER_REAL_PROOFS: "false",
} as const;

/** An L1 in real time whose rollup has a committee and no blocks. */
export interface CommitteeL1 {
  readonly url: string;
  readonly identity: RollupIdentity;
  /** Keys of all validators by address, 0x text. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
  /** The slot of now. */
  slot(): number;
  committee(slot: number): Promise<SlotCommittee>;
  stop(): Promise<void>;
}

async function deploy(url: string, keys: ReadonlyMap<string, Uint8Array>): Promise<RollupIdentity> {
  const environment = { ...COMMITTEE_NETWORK, ETHEREUM_HOSTS: url };
  const { values } = configure({ flags: new Map(), environment });
  const { addresses } = await deployL1Contracts(deployRequest(values, { validators: [...keys.keys()].join(",") }, {}));
  const rpc = new L1Rpc({ urls: [url], logger: silentLogger });
  return readIdentity(rpc, addresses, V4, { l1ChainId: values.l1ChainId, ethereumSlotDuration: L1_SLOT_S });
}

/** Brings L1 to the present; from then on it has a block every L1 slot. */
async function runInRealTime(rpc: L1Rpc, genesisTime: number): Promise<void> {
  const call = (method: string, ...params: unknown[]) => rpc.request({ method, params, parse: () => undefined });
  await call("anvil_removeBlockTimestampInterval");
  await call("evm_setAutomine", false);
  const now = Math.floor(Date.now() / 1000);
  const start = now - ((now - genesisTime) % L1_SLOT_S) + 2 * L1_SLOT_S;
  await sleep(start * 1000 - Date.now());
  await call("evm_setNextBlockTimestamp", start);
  await call("evm_mine");
  await call("evm_setIntervalMining", L1_SLOT_S);
}

export async function startCommitteeL1(): Promise<CommitteeL1> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const past = Math.floor(Date.now() / 1000) - AGE_S;
  const limits = ["--gas-limit", "45000000", "--slots-in-an-epoch", "4", "--silent"];
  const anvil = new ServerProcess(anvilBinary(), ["--port", String(port), "--timestamp", String(past), ...limits]);
  try {
    const rpc = new L1Rpc({ urls: [url], logger: silentLogger });
    await anvil.until(() =>
      rpc
        .checkChain(31337)
        .then(() => true)
        .catch(() => undefined),
    );
    const keys = new Map(
      Array.from({ length: COMMITTEE }, (_, i) => seeded(`validator ${i}`)).map((key) => [
        new LocalSigner(key).address,
        key,
      ]),
    );
    const identity = await deploy(url, keys);
    const { constants } = identity;
    await runInRealTime(rpc, constants.l1GenesisTime);
    const epochs = new EpochCommittees(rpc, identity, silentLogger);
    const latest = async (): Promise<number> => {
      const found = await rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false], parse: block });
      if (found === undefined) throw new Error("L1 has no block");
      return found.timestamp;
    };
    const slots = new SlotCommittees({
      read: (epoch) => epochs.get(epoch, latest),
      constants,
      now: Date.now,
      logger: silentLogger,
    });
    return {
      url,
      identity,
      keys,
      slot: () => slotAt(Math.floor(Date.now() / 1000), constants),
      committee: (slot) => slots.at(slot),
      stop: () => anvil.stop(),
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** The key of a committee member. */
export function keyOf({ keys }: Pick<CommitteeL1, "keys">, member: Uint8Array): Uint8Array {
  const key = keys.get(toHex(member));
  if (key === undefined) throw new Error(`no key for ${toHex(member)}`);
  return key;
}
