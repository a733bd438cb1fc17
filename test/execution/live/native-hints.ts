import { createRequire } from "node:module";
import { join } from "node:path";
import { Encoder } from "msgpackr";
import { fromHex } from "../../../src/protocol/bytes.ts";
import type { Outcome } from "../../world/execution/tx-outcome.ts";
import { type NativeResult, outcomeOf } from "./native-result.ts";

interface NativeModule {
  avmSimulateWithHintedDbs(inputs: Buffer, level: number): Promise<ArrayBuffer>;
}

const codec = new Encoder({ useRecords: false, int64AsType: "bigint", largeBigIntToString: true } as object);

const HEX = /^0x[0-9a-f]+$/;
const DECIMAL = /^\d+$/;
/** Hex digits of a point, with 0x. */
const POINT = 2 + 128;

function textValue(name: string, text: string): unknown {
  if (name === "packedBytecode") return Buffer.from(text, "base64");
  // The transaction's, which is text there as well.
  if (name === "hash") return text;
  if (DECIMAL.test(text)) return BigInt(text);
  if (!HEX.test(text)) throw new Error(`${name} has an unknown form: ${text.slice(0, 40)}`);
  const bytes = Buffer.from(fromHex(text));
  if (text.length === POINT) return { x: bytes.subarray(0, 32), y: bytes.subarray(32) };
  return Buffer.concat([new Uint8Array(32 - bytes.length), bytes]);
}

/** A member of the JSON of a PUBLIC_VM job, as the simulator takes it. */
function nativeValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return textValue(name, value);
  if (Array.isArray(value)) return value.map((each) => nativeValue(name, each));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, nativeValue(key, each)]));
}

/** The network's own simulator, which knows of state and contracts only what a proof's input has of them. */
export class HintedVm {
  readonly #module: NativeModule;

  /** `installed` is the folder of an installed @aztec/bb.js. */
  constructor(installed: string) {
    this.#module = createRequire(import.meta.url)(join(installed, "build", "amd64-linux", "nodejs_module.node"));
  }

  /** Executes the transaction of a PUBLIC_VM job. Rejects if a hint is missing. */
  async run(vmInput: Uint8Array): Promise<Outcome> {
    const inputs = codec.encode(nativeValue("", JSON.parse(Buffer.from(vmInput).toString())));
    const answer = await this.#module.avmSimulateWithHintedDbs(inputs, 0);
    return outcomeOf(codec.unpack(Buffer.from(answer)) as NativeResult);
  }
}
