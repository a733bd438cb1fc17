import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { EpochSubmission } from "../../../src/l1/prove/epoch-submission.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { startAnvil } from "../l1/chain-a.ts";

/** Second account of anvil's mnemonic, which proved the recorded epochs. */
export const PROVER_KEY = fromHex("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/prover/${name}`, import.meta.url));

/** A submission as the reference implementation made it. */
export interface RecordedSubmission {
  epoch: number;
  submission: EpochSubmission;
  calldata: string;
  publicInputs: Uint8Array[];
}

type Texts<K extends string> = Record<K, string>;

interface SavedSubmission extends Texts<"blobInputs" | "proof" | "calldata"> {
  epoch: number;
  start: number;
  end: number;
  args: Texts<"previousArchive" | "endArchive" | "outHash" | "proverId">;
  /** Without unused rows. */
  fees: string[];
  attestations: Texts<"signatureIndices" | "signaturesOrAddresses">;
  publicInputs: string[];
}

/** Submissions of epochs 5, 9, 11, 23 and 25 of the recorded network. */
export function recordedSubmissions(): RecordedSubmission[] {
  const saved = JSON.parse(gunzipSync(readFileSync(fixture("submissions.json.gz"))).toString()) as SavedSubmission[];
  return saved.map(({ epoch, start, end, args, fees, attestations, blobInputs, proof, calldata, publicInputs }) => ({
    epoch,
    submission: {
      start,
      end,
      previousArchive: fromHex(args.previousArchive),
      endArchive: fromHex(args.endArchive),
      outHash: fromHex(args.outHash),
      proverId: fromHex(args.proverId),
      fees: Array.from({ length: 64 }, (_, i) => (i < fees.length ? fromHex(fees[i]) : new Uint8Array(32))),
      // Calldata of v4 has the fees alone.
      headers: [],
      attestations: {
        signatureIndices: fromHex(attestations.signatureIndices),
        signaturesOrAddresses: fromHex(attestations.signaturesOrAddresses),
      },
      blobInputs: fromHex(blobInputs),
      proof: fromHex(proof),
    },
    calldata,
    publicInputs: publicInputs.map(fromHex),
  }));
}

/** An L1 on which epochs 23, 24 and 25 are complete and not proven, four seconds after its last block. */
export interface ThreeEpochs {
  url: string;
  registryAddress: string;
  rollupAddress: string;
  /** Time of its last block, seconds. */
  timestamp: number;
  /** Folder of the blobs, `<versioned hash>.data`. */
  blobs: string;
  /** Transactions of these epochs, as JSON of the v4 RPC. */
  txs(): Record<string, unknown>[];
  stop(): Promise<void>;
}

interface SavedState {
  blocks: { header: { timestamp: string } }[];
}

export async function startThreeEpochs(): Promise<ThreeEpochs> {
  const folder = mkdtempSync(join(tmpdir(), "three-epochs-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync("tar", ["-xzf", fixture("three-epochs.tar.gz"), "-C", folder]);
    const state = join(folder, "anvil-state.json");
    const { blocks } = JSON.parse(readFileSync(state, "utf8")) as SavedState;
    const timestamp = Math.max(...blocks.map(({ header }) => Number(header.timestamp)));
    const { addresses } = JSON.parse(readFileSync(join(folder, "deploy.json"), "utf8")) as {
      addresses: { registryAddress: string; rollupAddress: string };
    };
    const anvil = await startAnvil(["--load-state", state, "--timestamp", String(timestamp + 4)]);
    return {
      url: anvil.url,
      registryAddress: addresses.registryAddress,
      rollupAddress: addresses.rollupAddress,
      timestamp,
      blobs: join(folder, "blobs"),
      txs: () => Object.values(JSON.parse(readFileSync(join(folder, "txs.json"), "utf8"))),
      stop: async () => {
        await anvil.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
