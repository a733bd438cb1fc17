import { keccak256, toBytes } from "viem";
import { type RecordedL1, startRecordedL1 } from "../node/recorded-node.ts";

/** Account 0 of the development mnemonic, which published the recorded chain. */
export const PUBLISHER_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
export const PUBLISHER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
/** The rollup of the recorded chain. */
export const RECORDED_ROLLUP = "0x322813fd9a801c5507c9de605d63cea4f2ce6c44";

const ROLLUP_TIPS_SLOT = keccak256(toBytes("aztec.stf.storage"));

interface Block {
  number: number;
  timestamp: number;
}

/** What a node of a test needs of its L1. */
export interface TestL1 {
  anvil: Pick<RecordedL1["anvil"], "url">;
  chain: Pick<RecordedL1["chain"], "blobStore">;
  stop(): void;
}

/** The recorded L1 or another one, with the control methods of a development chain. */
export class ControlledL1 {
  readonly recorded: TestL1;

  constructor(recorded: TestL1) {
    this.recorded = recorded;
  }

  static async start(): Promise<ControlledL1> {
    return new ControlledL1(await startRecordedL1());
  }

  get url(): string {
    return this.recorded.anvil.url;
  }

  async call<T = string>(method: string, params: unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: "POST",
      // anvil may have closed a kept-alive connection when the machine is busy.
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async latest(): Promise<Block> {
    const { number, timestamp } = await this.call<{ number: string; timestamp: string }>("eth_getBlockByNumber", [
      "latest",
      false,
    ]);
    return { number: Number(number), timestamp: Number(timestamp) };
  }

  /**
   * Mines an empty block at a timestamp in seconds. The timestamps of later blocks advance with the machine's clock.
   */
  async warpTo(timestamp: number): Promise<void> {
    await this.call("evm_setNextBlockTimestamp", [timestamp]);
    await this.call("evm_mine");
  }

  /**
   * Makes the rollup treat all its checkpoints as proven, so that it never prunes them
   * (docs/protocol/08-building-and-checkpoints.md#829-time-of-a-local-network).
   */
  async proveAll(rollupAddress: string): Promise<void> {
    const tips = await this.call("eth_getStorageAt", [rollupAddress, ROLLUP_TIPS_SLOT, "latest"]);
    const pending = tips.slice(2, 34);
    await this.call("anvil_setStorageAt", [rollupAddress, ROLLUP_TIPS_SLOT, `0x${pending}${pending}`]);
  }

  /** Sets whether transactions are mined as they arrive. */
  automine(on: boolean): Promise<string> {
    return this.call("evm_setAutomine", [on]);
  }

  stop(): void {
    this.recorded.stop();
  }
}
