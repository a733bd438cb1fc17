import type { HashedTx } from "../../execution/executed-tx.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { Issue } from "../../rpc/codecs/json/codec.ts";
import { txHash } from "../../rpc/codecs/json/field.ts";
import { releaseTx } from "../../rpc/codecs/shared/tx.ts";

/**
 * Returns a reader of a transaction in the JSON form of another node's answer, with the hash that it claims. It throws
 * a DecodeError or an ExecutionError for one that is malformed.
 */
export function receivedTx(form: Parameters<typeof releaseTx>[0]): (json: unknown) => HashedTx {
  const txParameter = releaseTx(form);
  return (json) => {
    const issues: Issue[] = [];
    const tx = txParameter.read(json, [], issues);
    const claimed = typeof json === "object" && json !== null && "txHash" in json ? json.txHash : undefined;
    const hash = txHash.read(claimed, ["txHash"], issues);
    const [issue] = issues;
    if (issue !== undefined) throw new DecodeError(`transaction's ${issue.path.join(".")}`, issue.text);
    return { hash, tx };
  };
}
