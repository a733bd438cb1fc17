import { contractClassId, publicBytecodeCommitment } from "../../../src/core/derive/contract-class.ts";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { concat, fromHex } from "../../../src/protocol/bytes.ts";
import { CLASS_PUBLISHED, INSTANCE_PUBLISHED } from "../../../src/protocol/contracts/contract-events.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { core, field, type GivenDeploy, short } from "../../world/execution/avm-vectors.ts";
import type { Draw } from "./generated-programs.ts";

const CHUNK_BYTES = 31;
const ARTIFACT_HASH = fr(0xa7);
const PRIVATE_ROOT = fr(0x9f);

/** The class log of a bytecode and the id of the class. */
export function publishedClass(bytecode: string): { id: string; fields: string[] } {
  const bytes = fromHex(bytecode);
  const id = contractClassId(core, ARTIFACT_HASH, PRIVATE_ROOT, publicBytecodeCommitment(core, bytes));
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, i) => {
    const chunk = bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
    return concat(new Uint8Array(1), chunk, new Uint8Array(CHUNK_BYTES - chunk.length));
  });
  const words = [CLASS_PUBLISHED, id, fr(1), ARTIFACT_HASH, PRIVATE_ROOT, fr(bytes.length), ...chunks];
  return { id: short(id), fields: words.map(short) };
}

/** The private log that publishes an instance of a class. The simulators do not derive its address. */
function instanceFields(address: string, classId: string, { contracts, execution }: Generation): string[] {
  const { instanceVersion, defaultPublicKeys } = contracts;
  const keys = Array.from({ length: defaultPublicKeys.length / 32 }, (_, i) =>
    defaultPublicKeys.subarray(i * 32, i * 32 + 32),
  );
  const immutables = execution.vm.instanceMembers > 3 ? [fr(0xf7)] : [];
  const words = [INSTANCE_PUBLISHED, field(address), fr(instanceVersion), fr(5), field(classId), fr(0xe7)];
  return [...words, ...immutables, ...keys, FR_ZERO].map(short);
}

interface DeployPlan {
  readonly addresses: readonly number[];
  /** Ids of classes that exist. */
  readonly classIds: readonly string[];
  program(): string;
}

/**
 * Publications of one class and of instances, in either part of a transaction, often without something that makes them
 * whole: the class, the nullifier, or the log.
 */
export function randomDeploys(draw: Draw, plan: DeployPlan, generation: Generation): GivenDeploy[] {
  const published = draw.chance(4) ? undefined : publishedClass(plan.program());
  const where = () => (draw.chance(2) ? "revertible" : "nonRevertible");
  const deploys: GivenDeploy[] = [];
  if (published !== undefined)
    deploys.push({ where: where(), classLogFields: published.fields, instancePrivateLogFields: [], nullifiers: [] });
  for (let i = draw.below(3); i >= 0; i--) {
    const address = `0x${draw.pick(plan.addresses).toString(16)}`;
    const classId = published !== undefined && !draw.chance(4) ? published.id : draw.pick(plan.classIds);
    const nullifier = short(siloNullifier(core, generation.contracts.instanceRegistry, field(address)));
    const log = draw.chance(12) ? [] : instanceFields(address, classId, generation);
    const nullifiers = draw.chance(8) ? [] : [nullifier];
    const at = where();
    const nullifierAt = draw.chance(8) ? where() : at;
    deploys.push({ where: at, classLogFields: [], instancePrivateLogFields: log, nullifiers: [] });
    deploys.push({ where: nullifierAt, classLogFields: [], instancePrivateLogFields: [], nullifiers });
  }
  return deploys;
}
