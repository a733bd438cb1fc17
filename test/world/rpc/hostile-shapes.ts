/** A kind of request body that may cost a server far more than its size suggests. */
export interface HostileShape {
  readonly name: string;
  /** A body of about `bytes` bytes. */
  body(bytes: number): Buffer;
}

/** Repeats `unit` to fill about `bytes`, separated by commas. */
const many = (unit: string, bytes: number): string =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (unit.length + 1))) }, () => unit).join(",");

/** Like `many`; each `#` becomes the item's number. */
const numbered = (unit: string, bytes: number): string => {
  const items: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const item = unit.replaceAll("#", String(i));
    items.push(item);
    length += item.length + 1;
  }
  return items.join(",");
};

const nested = (open: string, close: string, bytes: number): string => {
  const depth = Math.max(1, Math.floor(bytes / (open.length + close.length)));
  return open.repeat(depth) + close.repeat(depth);
};
const arrays = (bytes: number) => nested("[", "]", bytes);
const objects = (bytes: number) => {
  const depth = Math.max(1, Math.floor(bytes / 6));
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
};

const request = (method: string, params: string, id = "1", more = ""): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}${more}}`;

/**
 * Bodies by name. Many use a tx method: calls that only local services can answer are read on the RPC thread even if
 * they are large.
 */
const SHAPES: Record<string, (bytes: number) => string> = {
  "an id of nested arrays": (bytes) => request("node_isReady", "[]", arrays(bytes)),
  "an id of nested objects": (bytes) => request("node_isReady", "[]", objects(bytes)),
  "an id of nested arrays in front of an unknown method": (bytes) => `{"id":${arrays(bytes)},"method":"node_nothing"}`,
  "an id that is one wide array": (bytes) => request("node_isReady", "[]", `[${many("1", bytes)}]`),
  "an id whose key is escaped": (bytes) => `{"method":"node_isReady","\\u0069d":${arrays(bytes)}}`,
  "a long text as id": (bytes) => request("node_isReady", "[]", `"${"x".repeat(bytes)}"`),
  "a text of escapes as id": (bytes) => request("node_isReady", "[]", `"${"\\u0001".repeat(bytes / 6)}"`),
  "a long number as id": (bytes) => request("node_isReady", "[]", "9".repeat(bytes)),
  "a nested jsonrpc member": (bytes) => `{"jsonrpc":${arrays(bytes)},"id":1,"method":"node_isReady"}`,
  "a wide jsonrpc member": (bytes) => `{"jsonrpc":[${many("{}", bytes)}],"id":1,"method":"node_isReady"}`,
  "nested params": (bytes) => request("node_isReady", arrays(bytes)),
  "a nested parameter of a tx method": (bytes) => request("node_sendTx", `[${arrays(bytes)}]`),
  "nested objects as parameter of a tx method": (bytes) => request("node_sendTx", `[${objects(bytes)}]`),
  "a nested unknown member": (bytes) => request("node_isReady", "[]", "1", `,"x":${arrays(bytes)}`),
  "a nested unknown member in front": (bytes) => `{"x":${arrays(bytes)},"method":"node_isReady","id":1}`,
  "only opening brackets": (bytes) => "[".repeat(bytes),
  "only opening objects": (bytes) => '{"a":'.repeat(bytes / 5),
  "many short towers": (bytes) => request("node_isReady", `[${many(arrays(100), bytes)}]`),
  "towers of permitted height": (bytes) => request("node_sendTx", `[[${many(arrays(120), bytes)}]]`),
  "many empty arrays": (bytes) => request("node_sendTx", `[[${many("[]", bytes)}]]`),
  "many empty objects": (bytes) => request("node_sendTx", `[[${many("{}", bytes)}]]`),
  "many small numbers": (bytes) => request("node_sendTx", `[[${many("1", bytes)}]]`),
  "many fractions": (bytes) => request("node_sendTx", `[[${many("1.1e-7", bytes)}]]`),
  "many empty texts": (bytes) => request("node_sendTx", `[[${many('""', bytes)}]]`),
  "many different texts": (bytes) => request("node_sendTx", `[[${numbered('"t#"', bytes)}]]`),
  "an object of many keys": (bytes) => request("node_sendTx", `[{${numbered('"k#":1', bytes)}}]`),
  "an object of many index keys": (bytes) => request("node_sendTx", `[{${numbered('"#":1', bytes)}}]`),
  "one key repeated": (bytes) => request("node_sendTx", `[{${many('"a":1', bytes)}}]`),
  "objects of different forms": (bytes) => request("node_sendTx", `[[${numbered('{"f#":0}', bytes)}]]`),
  "an unknown member of many keys": (bytes) =>
    request("node_isReady", "[]", "1", `,"x":{${numbered('"k#":{}', bytes)}}`),
  "many members": (bytes) => `{"method":"node_isReady","id":1,${numbered('"m#":1', bytes)}}`,
  "many params": (bytes) => request("node_isReady", `[${many("[]", bytes)}]`),
  "many params that svc_ refuses": (bytes) => request("svc_isReady", `[${many("[]", bytes)}]`),
  "many wrong fields of a tx": (bytes) =>
    request("node_sendTx", `[{"contractClassLogFields":[{"fields":[${many("1", bytes)}]}]}]`),
  "many wrong call data of a tx": (bytes) =>
    request("svc_simulatePublicCalls", `[{"publicFunctionCalldata":[${many("{}", bytes)}]}]`),
  "many wrong fields of txs to validate": (bytes) =>
    request("node_isValidTx", `[{"contractClassLogFields":[${many("[]", bytes)}]}]`),
  "invalid base64": (bytes) =>
    request("node_sendTx", `[{"data":"${"=".repeat(bytes)}","chonkProof":"${"!".repeat(8)}"}]`),
  "a long proof of a tx": (bytes) => request("node_sendTx", `[{"data":"","chonkProof":"${"A".repeat(bytes)}"}]`),
  "many function names": (bytes) =>
    request("node_registerContractFunctionSignatures", `[[${numbered('"f#()"', bytes)}]]`),
  "a long function name": (bytes) =>
    request("node_registerContractFunctionSignatures", `[["f(${"u8,".repeat(bytes / 3)}u8)"]]`),
  "many hashes of txs": (bytes) => request("node_getTxsByHash", `[[${many(`"0x${"1".repeat(64)}"`, bytes)}]]`),
  "a long number as parameter": (bytes) => request("svc_getPendingTxs", `["${"9".repeat(bytes)}"]`),
  "a long hash": (bytes) => request("node_getTxReceipt", `["0x${"f".repeat(bytes)}"]`),
  "a long text of blanks as hash": (bytes) => request("node_getTxReceipt", `["${" ".repeat(bytes)}"]`),
  "a long block number": (bytes) => request("node_getBlock", `["${"1".repeat(bytes)}"]`),
  "a long method name": (bytes) => request("x".repeat(bytes), "[]"),
  "a method name of underscores": (bytes) => request("_".repeat(bytes), "[]"),
  "leading blanks": (bytes) => " ".repeat(bytes) + request("node_isReady", "[]"),
  "trailing blanks": (bytes) => request("node_isReady", "[]") + " ".repeat(bytes),
  "blanks between members": (bytes) => request("node_isReady", "[]").replace(",", `,${" ".repeat(bytes)}`),
  "an unterminated string": (bytes) => `{"method":"${"x".repeat(bytes)}`,
  backslashes: (bytes) => `{"method":"${"\\\\".repeat(bytes / 2)}","id":1}`,
  "a batch of calls": (bytes) => `[${many(request("node_isReady", "[]"), bytes)}]`,
  "a batch of nested ids": (bytes) => `[${many(request("node_isReady", "[]", arrays(bytes / 110)), bytes * 0.8)}]`,
  "a batch of numbers": (bytes) => `[${many("0", bytes)}]`,
  "a batch with one nested member": (bytes) => `[{"x":${arrays(bytes)}}]`,
};

export const HOSTILE_SHAPES: readonly HostileShape[] = Object.entries(SHAPES).map(([name, text]) => ({
  name,
  body: (bytes) => Buffer.from(text(bytes)),
}));
