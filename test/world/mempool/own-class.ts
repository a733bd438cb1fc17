import {
  contractClassId,
  packedBytecodeFields,
  publicBytecodeCommitment,
} from "../../../src/core/derive/contract-class.ts";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import {
  CLASS_PUBLISHED,
  INSTANCE_PUBLISHED,
  INSTANCE_REGISTRY,
} from "../../../src/protocol/contracts/contract-events.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { buildTx } from "../execution/tx-builder.ts";

const core = loadCore();

/** Largest L2 gas limit that a tx can have. */
const MAX_L2_GAS = 2 ** 32 - 1;

/** SET_8 of a u32, 0, then RETURN of nothing. */
export const RETURNS = Uint8Array.from(Buffer.from("2700000400" + "3b0000000000", "hex"));
/** SET_8 of a u32, 0, then REVERT with nothing. */
export const REVERTS = Uint8Array.from(Buffer.from("2700000400" + "3d0000000000", "hex"));
/** JUMP_32 to itself. */
export const LOOPS = Uint8Array.from(Buffer.from("2300000000", "hex"));

export interface OwnClassOptions {
  calldata?: Uint8Array;
  l2Gas?: number;
  /** Different seeds give different classes, contracts and txs of one program. */
  seed?: number;
}

/** A tx that publishes a class with a program, deploys a contract of it and calls it. It has no fee payer. */
export function txOfOwnClass(program: Uint8Array, options: OwnClassOptions = {}): Tx {
  const { calldata = new Uint8Array(0), l2Gas = MAX_L2_GAS, seed = 1 } = options;
  const artifactHash = fr(seed);
  const classId = contractClassId(core, artifactHash, FR_ZERO, publicBytecodeCommitment(core, program));
  const address = fr(0x10_0000 + seed);
  const classLog = concat(
    ...[CLASS_PUBLISHED, classId, fr(1), artifactHash, FR_ZERO, fr(program.length)],
    packedBytecodeFields(program),
  );
  const instance = [INSTANCE_PUBLISHED, address, fr(1), fr(0), classId, ...Array.from({ length: 10 }, () => FR_ZERO)];
  return buildTx({
    nonRevertible: {
      nullifiers: [fr(0x20_0000 + seed), siloNullifier(core, INSTANCE_REGISTRY, address)],
      privateLogs: [concat(...instance)],
      classLog,
    },
    app: [{ address, sender: fr(7), calldata }],
    gasLimits: { daGas: 1_000_000, l2Gas },
    gasUsed: { daGas: 0, l2Gas: 1000 },
    maxFees: { da: 2n ** 64n, l2: 2n ** 64n },
    feePayer: FR_ZERO,
  });
}
