import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  prepareEncodeFunctionData,
} from "viem";
import { DecodeError } from "../../protocol/errors.ts";
import { ContractAnswerError, ContractMissingError, ContractRevertError, type L1RpcError } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import { isRevert, type L1Rpc } from "../rpc/l1-rpc.ts";
import { type StateOverride, stateOverrides } from "../state-override.ts";

/** A deployed contract: its name for messages, its address, and the ABI of the functions in use. */
export interface Contract<abi extends Abi> {
  name: string;
  /** Lower-case 0x. */
  address: string;
  abi: abi;
}

interface PreparedFunction {
  /** The function's ABI alone. */
  abi: Abi;
  /** The selector, as encodeFunctionData takes it. */
  functionName: Hex;
}

const PREPARED = new WeakMap<Abi, Map<string, PreparedFunction>>();

/** A function's selector and its part of the ABI: viem looks for both at each call otherwise, and hashes signatures. */
function prepared(abi: Abi, functionName: string): PreparedFunction {
  const functions = PREPARED.get(abi) ?? new Map<string, PreparedFunction>();
  PREPARED.set(abi, functions);
  const known = functions.get(functionName) ?? prepareEncodeFunctionData({ abi, functionName });
  functions.set(functionName, known);
  return known;
}

type Mutability = "view" | "pure" | "nonpayable";

const hexText = (value: unknown): Hex => {
  bytes(value, "result");
  return value as Hex;
};

/**
 * Calls a contract function with eth_call, at the latest block or at `atBlock`, with words of storage replaced. Throws
 * ContractRevertError, ContractMissingError, ContractAnswerError and the errors of L1Rpc.request.
 */
export async function read<
  const abi extends Abi,
  name extends ContractFunctionName<abi, Mutability>,
  const args extends ContractFunctionArgs<abi, Mutability, name>,
>(
  rpc: L1Rpc,
  contract: Contract<abi>,
  functionName: name,
  args: args,
  atBlock?: number,
  overrides: readonly StateOverride[] = [],
): Promise<ContractFunctionReturnType<abi, Mutability, name, args>> {
  const { name, address, abi } = contract;
  const about = `${name}.${functionName}`;
  const fields = { method: `eth_call ${about}` };
  const { abi: part, functionName: selector } = prepared(abi, functionName as string);
  const data = encodeFunctionData({ abi: part, functionName: selector, args: args as readonly unknown[] });
  const at = atBlock === undefined ? "latest" : `0x${atBlock.toString(16)}`;
  let answer: Hex;
  try {
    answer = await rpc.request({
      method: "eth_call",
      params: [{ to: address, data }, at, ...(overrides.length > 0 ? [stateOverrides(overrides)] : [])],
      parse: hexText,
      about,
      atBlock,
    });
  } catch (error) {
    throw isRevert(error) ? revertOf(error, abi, fields.method) : error;
  }
  if (answer === "0x") {
    const code = await rpc.request({
      method: "eth_getCode",
      params: [address, at],
      parse: hexText,
      about: name,
      atBlock,
    });
    if (code === "0x") throw new ContractMissingError(name, address, fields);
  }
  try {
    return decodeFunctionResult({
      abi: part,
      functionName: functionName as string,
      data: answer,
    }) as ContractFunctionReturnType<abi, Mutability, name, args>;
  } catch (cause) {
    throw new ContractAnswerError(name, address, (answer.length - 2) / 2, { ...fields, cause });
  }
}

/**
 * Calls a contract function at `atBlock` on every endpoint. Endpoints that fail, revert or do not answer like the
 * contract are left out.
 */
export async function readEach<
  const abi extends Abi,
  name extends ContractFunctionName<abi, Mutability>,
  const args extends ContractFunctionArgs<abi, Mutability, name>,
>(
  rpc: L1Rpc,
  { name, address, abi }: Contract<abi>,
  functionName: name,
  args: args,
  atBlock: number,
): Promise<{ url: string; answer: ContractFunctionReturnType<abi, Mutability, name, args> }[]> {
  const { abi: part, functionName: selector } = prepared(abi, functionName as string);
  const data = encodeFunctionData({ abi: part, functionName: selector, args: args as readonly unknown[] });
  const parse = (value: unknown) => {
    try {
      return decodeFunctionResult({ abi: part, functionName: functionName as string, data: hexText(value) });
    } catch (cause) {
      throw new DecodeError(`${name}.${functionName}`, "must be an answer by the contract's ABI", { cause });
    }
  };
  const answers = await rpc.requestEach({
    method: "eth_call",
    params: [{ to: address, data }, `0x${atBlock.toString(16)}`],
    parse,
    about: `${name}.${functionName}`,
    atBlock,
  });
  return answers as { url: string; answer: ContractFunctionReturnType<abi, Mutability, name, args> }[];
}

function revertOf(error: L1RpcError, abi: Abi, method: string): ContractRevertError {
  let errorName: string | undefined;
  let args: readonly unknown[] = [];
  try {
    const decoded = decodeErrorResult({ abi, data: (error.data ?? "0x") as Hex });
    errorName = decoded.errorName;
    args = decoded.args ?? [];
  } catch {
    // An error that is not in the ABI is kept as bytes.
  }
  const revert = { errorName, args, data: error.data, message: error.rpcMessage };
  return new ContractRevertError(revert, { url: error.url, method, cause: error });
}
