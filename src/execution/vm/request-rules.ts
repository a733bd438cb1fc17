import { isCanonicalFr } from "../../protocol/field.ts";
import { VmRequestError } from "./errors.ts";
import type { Gas } from "./gas.ts";
import type { RunRequest } from "./run.ts";

function requireField(name: string, bytes: Uint8Array): void {
  if (bytes.length !== 32) throw new VmRequestError(name, `must be 32 bytes, got ${bytes.length}`);
  if (!isCanonicalFr(bytes)) throw new VmRequestError(name, "must be below the modulus");
}

function requireUint(name: string, value: number, bits: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** bits) {
    throw new VmRequestError(name, `must be a whole number below 2^${bits}, got ${value}`);
  }
}

function requireBigUint(name: string, value: bigint, bits: bigint): void {
  if (value < 0n || value >= 1n << bits) throw new VmRequestError(name, `must be 0 to 2^${bits}-1, got ${value}`);
}

function requireGas(name: string, gas: Gas): void {
  requireUint(`${name}.l2`, gas.l2, 32);
  requireUint(`${name}.da`, gas.da, 32);
}

/** Throws VmRequestError unless every value is within the range documented for it. */
export function requireRequest(request: RunRequest): void {
  const { calldata, globals } = request;
  requireField("address", request.address);
  requireField("sender", request.sender);
  requireField("transactionFee", request.transactionFee);
  requireField("chainId", globals.chainId);
  requireField("version", globals.version);
  requireUint("blockNumber", globals.blockNumber, 32);
  requireBigUint("timestamp", globals.timestamp, 64n);
  requireBigUint("feePerL2Gas", globals.feePerL2Gas, 128n);
  requireBigUint("feePerDaGas", globals.feePerDaGas, 128n);
  requireGas("gas", request.gas);
  if (calldata.length % 32 !== 0) {
    throw new VmRequestError("calldata", `must be whole words of 32 bytes, got ${calldata.length} bytes`);
  }
  for (let at = 0; at < calldata.length; at += 32) {
    if (!isCanonicalFr(calldata, at)) throw new VmRequestError(`calldata[${at / 32}]`, "must be below the modulus");
  }
}
