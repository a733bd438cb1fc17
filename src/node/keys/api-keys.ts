import type { PartValues } from "../../config/part-values.ts";
import { ApiKeysError } from "../../rpc/keys/api-key.ts";

/**
 * The file of API keys, if one is given. Throws an ApiKeysError when keys are required and there is no file of them.
 */
export function apiKeys({
  file,
  required,
}: PartValues["rpc"]["keys"]): { file: string; required: boolean } | undefined {
  if (file !== undefined) return { file, required };
  if (required) throw new ApiKeysError("", "is not given, but --rpc-require-api-key asks for keys");
  return undefined;
}
