import { Packr, Unpackr } from "msgpackr";
import type { Tx } from "../../protocol/tx/tx.ts";
import { type ChonkRules, proofKey, proofMessage } from "./chonk-proof.ts";
import { POINT_BYTES, type ReferenceStrings } from "./reference-strings.ts";

const packer = new Packr({ useRecords: false });
const unpacker = new Unpackr({ useRecords: false });

/** An answer of bb: the name of its type and its fields. */
export interface BbAnswer {
  name: string;
  fields: Readonly<Record<string, unknown>>;
}

/** bb gave an answer that is not one to the command, or none. */
class BbAnswerError extends Error {
  constructor(command: string, rule: string) {
    super(`${command}: ${rule}`);
    this.name = "BbAnswerError";
  }
}

/** A command in the form that bb reads, in its process as in WebAssembly: msgpack of `[[name, fields]]`. */
export function encodeCommand(name: string, fields: Readonly<Record<string, unknown>>): Uint8Array {
  return packer.pack([[name, fields]]);
}

/** Throws a BbAnswerError. */
export function decodeAnswer(bytes: Uint8Array): BbAnswer {
  let decoded: unknown;
  try {
    decoded = unpacker.unpack(bytes);
  } catch {
    throw new BbAnswerError("answer", "must be msgpack");
  }
  if (!Array.isArray(decoded) || decoded.length !== 2) throw new BbAnswerError("answer", "must be a name and fields");
  const [name, fields]: unknown[] = decoded;
  if (typeof name !== "string" || typeof fields !== "object" || fields === null) {
    throw new BbAnswerError("answer", "must be a name and fields");
  }
  return { name, fields: fields as Record<string, unknown> };
}

/** The command that verifies the proof of a tx, by default with the released key of its circuit. */
export function verifyCommand(
  rules: ChonkRules,
  tx: Pick<Tx, "data" | "chonkProof">,
  vk: Uint8Array = proofKey(rules, tx.data),
): Uint8Array {
  return encodeCommand("ChonkVerify", { proof: proofMessage(rules, tx), vk });
}

/**
 * How the errors of bb's two versions begin that find the bytes to be no proof. All others are of its surroundings (no
 * file, no memory, no room), or unknown, and say nothing of the proof.
 */
const NO_PROOF =
  /^(?:Assertion failed: |Cannot aggregate|Deserialized point is not on the curve|msgpack field deserialization: |(?:ChonkVerify: )?proof has wrong size: )/;
/** An assertion about the reference strings is none about the proof. */
const OF_STRINGS = /\b[CS]RS\b/i;

/** Whether an error of bb says that the bytes are no proof. */
export function refusesProof(message: string): boolean {
  return NO_PROOF.test(message) && !OF_STRINGS.test(message);
}

/**
 * The verdict in an answer to `verifyCommand`. bb answers with an error when the bytes are no proof, for example
 * because a point is not on its curve. Throws a BbAnswerError where the answer is no verdict.
 */
export function verdictOf({ name, fields }: BbAnswer): boolean {
  if (name === "ErrorResponse") {
    const message = String(fields.message);
    if (refusesProof(message)) return false;
    throw new BbAnswerError("ChonkVerify", message);
  }
  if (name !== "ChonkVerifyResponse" || typeof fields.valid !== "boolean") {
    throw new BbAnswerError("ChonkVerify", `cannot be answered by ${name}`);
  }
  return fields.valid;
}

/** The command that takes a square root in the scalar field of BN254; the value is 32 bytes, big-endian. */
export function squareRootCommand(value: Uint8Array): Uint8Array {
  return encodeCommand("Bn254FrSqrt", { input: value });
}

/** The root in an answer to `squareRootCommand`; undefined when the value is not a square. Throws a BbAnswerError. */
export function rootOf({ name, fields }: BbAnswer): Uint8Array | undefined {
  if (name !== "Bn254FrSqrtResponse") throw new BbAnswerError("Bn254FrSqrt", `cannot be answered by ${name}`);
  return fields.is_square_root === true && fields.value instanceof Uint8Array ? fields.value : undefined;
}

/** The commands that give bb its reference strings. */
export function stringCommands({ g1, g2, grumpkin }: ReferenceStrings): Uint8Array[] {
  const points = (bytes: Uint8Array) => ({ points_buf: Buffer.from(bytes), num_points: bytes.length / POINT_BYTES });
  return [
    encodeCommand("SrsInitSrs", { ...points(g1), g2_point: g2 }),
    encodeCommand("SrsInitGrumpkinSrs", points(grumpkin)),
  ];
}

/** Throws a BbAnswerError when an answer to one of `stringCommands` is an error. */
export function assertStringsTaken({ name, fields }: BbAnswer): void {
  if (name === "ErrorResponse") throw new BbAnswerError("reference strings", String(fields.message));
}
