import { proposerIndex } from "../../../src/l1/committee/sampling.ts";
import { deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { registrationTime } from "../../../src/l1/slashing/registration.ts";
import { slashCall } from "../../../src/l1/slashing/slash-call.ts";
import { SlashFactory } from "../../../src/l1/slashing/slash-factory.ts";
import { SlashingContracts } from "../../../src/l1/slashing/slashing-contracts.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { bigUintBytes, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { SlashAction } from "../../../src/protocol/slashing/action.ts";
import { epochOfSlot, slotTimestamp } from "../../../src/protocol/time.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type Anvil, startAnvil } from "../l1/chain-a.ts";
import { localNetwork } from "../l1/deployed-network.ts";

/** Keys of the validators, 0x text. */
export const VALIDATOR_KEYS = Array.from({ length: 6 }, (_, i) => toHex(bigUintBytes(BigInt(1000 + i), 32)));
/** Account 0 of the development mnemonic, which deploys and may veto. */
export const VETOER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** Rounds of two epochs of 4 slots, voted on in the next round, executed one round after the vote. */
const PARAMETERS = {
  AZTEC_TARGET_COMMITTEE_SIZE: "4",
  AZTEC_SLOT_DURATION: "36",
  AZTEC_EPOCH_DURATION: "4",
  AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS: "2",
  AZTEC_SLASHING_OFFSET_IN_ROUNDS: "1",
  AZTEC_SLASHING_EXECUTION_DELAY_IN_ROUNDS: "1",
  AZTEC_SLASHING_LIFETIME_IN_ROUNDS: "4",
  AZTEC_SLASHING_VETOER: VETOER,
  AZTEC_SLASH_AMOUNT_SMALL: "1e18",
  AZTEC_SLASH_AMOUNT_MEDIUM: "2e18",
  AZTEC_SLASH_AMOUNT_LARGE: "5e18",
  AZTEC_LOCAL_EJECTION_THRESHOLD: "8e19",
};

interface Receipt {
  logs: { address: string; topics: string[] }[];
}

/** A development chain with the network's contracts, six validators of which four are in a committee, and a slasher. */
export class SlashingL1 {
  readonly rpc: L1Rpc;
  readonly url: string;
  readonly reader: ConnectedRollup;
  readonly contracts: SlashingContracts;
  readonly factory: SlashFactory;
  readonly #anvil: Anvil;
  readonly #signers: ReadonlyMap<string, LocalSigner>;

  private constructor(anvil: Anvil, reader: ConnectedRollup, signers: readonly LocalSigner[]) {
    const { rollupAddress, slashFactoryAddress } = reader.identity.addresses;
    this.#anvil = anvil;
    this.reader = reader;
    this.url = anvil.url;
    this.rpc = new L1Rpc({ urls: [anvil.url], logger: silentLogger });
    this.contracts = new SlashingContracts(this.rpc, rollupAddress);
    this.factory = new SlashFactory(this.rpc, slashFactoryAddress as string);
    this.#signers = new Map(signers.map((signer) => [signer.address, signer]));
  }

  static async deploy(flavor: "tally" | "empire" | "none"): Promise<SlashingL1> {
    const anvil = await startAnvil();
    const signers = VALIDATOR_KEYS.map((key) => new LocalSigner(fromHex(key)));
    const request = localNetwork(anvil.url, { ...PARAMETERS, AZTEC_SLASHER_FLAVOR: flavor });
    const { addresses } = await deployL1Contracts({
      ...request,
      validators: signers.map(({ address }, i) => ({
        attester: address,
        withdrawer: address,
        blsSecretKey: BigInt(77 + i),
      })),
    });
    const reader = await connectRollup({
      l1RpcUrls: [anvil.url],
      l1ChainId: 31337,
      ethereumSlotDuration: 12,
      registryAddress: addresses.registryAddress,
      otherAddresses: { slashFactoryAddress: addresses.slashFactoryAddress as string },
    });
    return new SlashingL1(anvil, reader, signers);
  }

  /** Gives the validators ether, so that they can publish. */
  async fund(): Promise<void> {
    for (const address of this.#signers.keys()) await this.call("anvil_setBalance", [address, "0xde0b6b3a7640000"]);
  }

  call<T = unknown>(method: string, params: unknown[] = []): Promise<T> {
    return this.rpc.request({ method, params, parse: (value) => value as T });
  }

  registration(): Promise<number | undefined> {
    return registrationTime(this.rpc, this.reader.identity);
  }

  /** Mines a block at the start of a slot. */
  async enter(slot: number): Promise<void> {
    const start = slotTimestamp(slot, this.reader.identity.constants);
    await this.call("evm_setNextBlockTimestamp", [start]);
    await this.call("evm_mine");
  }

  /** Unix milliseconds at the latest block. */
  async now(): Promise<number> {
    return (await this.reader.latestBlock()).timestamp * 1000;
  }

  async committee(epoch: number): Promise<Uint8Array[]> {
    const { committee } = await this.reader.committee(epoch);
    if (committee === undefined) throw new Error(`no committee in epoch ${epoch}`);
    return committee;
  }

  async proposerOf(slot: number): Promise<LocalSigner> {
    const epoch = epochOfSlot(slot, this.reader.identity.constants);
    const { committee = [], seed } = await this.reader.committee(epoch);
    const index = proposerIndex(epoch, slot, seed, committee.length) as number;
    return this.#signers.get(toHex(committee[index])) as LocalSigner;
  }

  /** Sends an action of the current slot, signed by the slot's proposer. Returns whether it took effect. */
  async send(action: SlashAction): Promise<boolean> {
    const { l1ChainId: chainId, addresses } = this.reader.identity;
    const call = slashCall(action, { chainId, rollup: addresses.rollupAddress, domain: V4.l1.slashingDomain });
    const signer = await this.proposerOf(action.slot);
    const data = call.calldata(call.toSign && (await signer.signTypedData(call.toSign)));
    const receipt = await this.sendAs(VETOER, call.to, toHex(data));
    return receipt.logs.some(({ address, topics }) => address === call.proof.address && topics[0] === call.proof.topic);
  }

  async sendAs(from: string, to: string, data: string): Promise<Receipt> {
    const tx = { from, to, data, gas: "0xe4e1c0" };
    const hash = await this.call<string>("eth_sendTransaction", [tx]);
    for (;;) {
      const receipt = await this.call<Receipt | null>("eth_getTransactionReceipt", [hash]);
      if (receipt !== null) return receipt;
    }
  }

  /** Stake of a validator that counts, in wei. */
  async stake(validator: Uint8Array): Promise<bigint> {
    // getAttesterView(address): its second word is the effective balance.
    const data = `0x34a51ed5${toHex(validator).slice(2).padStart(64, "0")}`;
    const answer = await this.call<string>("eth_call", [
      { to: this.reader.identity.addresses.rollupAddress, data },
      "latest",
    ]);
    return BigInt(toHex(fromHex(answer).subarray(32, 64)));
  }

  stop(): Promise<void> {
    return this.#anvil.stop();
  }
}
