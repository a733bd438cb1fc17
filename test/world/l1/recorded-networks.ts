import type { Core } from "../../../src/core/core.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { generationNamed } from "../../../src/protocol/generations/known/choose.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { PrefilledEntry } from "../../../src/world-state/tables/genesis-row.ts";
import { CHAIN_A_REGISTRY, startChainA } from "./chain-a.ts";
import { ServedRecording, V5_CHAINS } from "./served-recording.ts";

/** A network that was recorded: its L1, its blobs, and whom its genesis funds. */
export interface RecordedNetwork {
  readonly generation: Generation;
  readonly registryAddress: string;
  readonly prefunded: string;
  /** Blocks of its chain. */
  readonly blocks: number;
  start(): Promise<{ url: string; blobStore: string; stop(): Promise<void> }>;
}

export const CHAIN_A: RecordedNetwork = {
  generation: V4,
  registryAddress: CHAIN_A_REGISTRY,
  prefunded: "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a",
  blocks: 59,
  start: startChainA,
};

export const V5_CHAIN: RecordedNetwork = {
  generation: V5,
  registryAddress: V5_CHAINS.chain,
  prefunded: "0x0ea5e3299643640e61f66001d44b91810255d9b6e3137dfab744562097e445b3",
  blocks: 161,
  start: () => ServedRecording.start("chain"),
};

/** Public data in the genesis of a recorded network. */
export function recordedPublicData(core: Core, { generation, prefunded }: RecordedNetwork): PrefilledEntry[] {
  const funded = { testAccounts: true, sponsoredFpc: true, prefundAddresses: [fromHex(prefunded)] };
  return genesisPublicData(core, funded, generation);
}

/** The recorded network of an identity's generation. */
export function networkOfIdentity({ generation }: Pick<RollupIdentity, "generation">): RecordedNetwork {
  return [CHAIN_A, V5_CHAIN].find((network) => network.generation === generationNamed(generation))!;
}
