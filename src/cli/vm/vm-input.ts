import { readFileSync } from "node:fs";
import { ConfigurationError } from "../../config/errors.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { FR_MODULUS, type Fr, fr } from "../../protocol/field.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { GENERATION_NAMES, GENERATIONS } from "../../protocol/generations/known/choose.ts";

/** An argument of `svc vm` is invalid. */
export class VmInputError extends ConfigurationError {
  readonly argument: string;
  constructor(argument: string, rule: string, options?: ErrorOptions) {
    super(`${argument} ${rule}`, options);
    this.name = "VmInputError";
    this.argument = argument;
  }
}

const HEX = /^(0x)?([0-9a-fA-F]{2})*$/;
const MAX_BYTES = 1 << 20;
const MAX_GAS = 2 ** 32 - 1;

/** Bytecode given as hex text, or as a file with hex text or raw bytes. */
export function bytecodeOf(text: string): Uint8Array {
  if (text !== "" && HEX.test(text)) return fromHex(text);
  let bytes: Buffer;
  try {
    bytes = readFileSync(text);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new VmInputError(
      "CODE",
      `must be hex of whole bytes or a file that can be read; ${text.slice(0, 80)}: ${code}`,
      {
        cause: error,
      },
    );
  }
  if (bytes.length > MAX_BYTES)
    throw new VmInputError("CODE", `must be at most ${MAX_BYTES} bytes, got ${bytes.length}`);
  const content = bytes.toString("latin1").trim();
  return content !== "" && HEX.test(content) ? fromHex(content) : new Uint8Array(bytes);
}

/** A field element in decimal or 0x hex. */
export function fieldOf(argument: string, text: string): Fr {
  if (!/^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(text)) {
    throw new VmInputError(argument, `must be a number, decimal or 0x hex; got ${JSON.stringify(text.slice(0, 80))}`);
  }
  const value = BigInt(text);
  if (value >= FR_MODULUS) throw new VmInputError(argument, `must be below the field's modulus; got ${text}`);
  return fr(value);
}

/** Comma-separated field elements. */
export function fieldsOf(argument: string, text: string): Uint8Array {
  if (text === "") return new Uint8Array(0);
  const parts = text.split(",");
  const out = new Uint8Array(parts.length * 32);
  for (const [i, part] of parts.entries()) out.set(fieldOf(`${argument} item ${i}`, part.trim()), i * 32);
  return out;
}

/** `L2` or `L2,DA`, each below 2^32. */
export function gasOf(argument: string, text: string, da: number): { l2: number; da: number } {
  const parts = text.split(",");
  const values = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (parts.length > 2 || values.some((value) => !(value <= MAX_GAS))) {
    throw new VmInputError(argument, `must be L2 or L2,DA, whole numbers below 2^32; got ${JSON.stringify(text)}`);
  }
  return { l2: values[0], da: values[1] ?? da };
}

/** A generation of the protocol, by its name. */
export function protocolOf(argument: string, text: string): Generation {
  const found = GENERATIONS.find(({ name }) => name === text);
  if (found === undefined) throw new VmInputError(argument, `must be ${GENERATION_NAMES}, got ${text.slice(0, 80)}`);
  return found;
}
