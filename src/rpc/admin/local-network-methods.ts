import { toHex } from "../../protocol/bytes.ts";
import { optional } from "../codecs/json/codec.ts";
import { encodeArray, encodeBoolean, encodeNothing, encodeText } from "../codecs/json/encoder.ts";
import { l2Address } from "../codecs/json/field.ts";
import { integer } from "../codecs/json/number.ts";
import { text } from "../codecs/json/text.ts";
import { l1Address } from "../codecs/shared/l1-address.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { type Method, method, param } from "../registry/registry.ts";
import { encodeAccounts, encodeClaim } from "./codecs/local-network-encoders.ts";
import type { AdminServices } from "./ports/admin-services.ts";
import type { LocalNetworkControl } from "./ports/local-network-control.ts";

const FILE = "Path on the machine of the node.";
/** Timestamps of L1 have 64 bits, those of the protocol's slots fit 2^40 seconds. */
const MAX_SECONDS = 2 ** 40;
const seconds = integer({ least: 1, most: MAX_SECONDS });
/** Accounts of a development chain have 10,000 ETH. */
const MAX_ETHER = 1_000;
/** Of one call: each is a block on L1 too. */
const MAX_BLOCKS = 100;
/** What anvil answers to evm_mine. */
const MINED = "0x0";

/**
 * Methods of a local network, also under the names that anvil has for them
 * (docs/operations.md#state-and-time-of-a-local-network).
 */
export function localNetworkMethods({ localNetwork }: Pick<AdminServices, "localNetwork">): Method[] {
  const network = (): LocalNetworkControl => {
    if (localNetwork === undefined) throw new ExecutionError("This node is not that of a local network");
    return localNetwork;
  };
  const mineBlock = { name: "mineBlock", summary: "Mines the pending transactions, or an empty block" };
  const snapshot = { name: "snapshot", summary: "Takes a snapshot of L1 and the node, and returns its id" };
  const revert = { name: "revert", summary: "Goes back to a snapshot; it and later ones are gone then" };
  const reset = { name: "reset", summary: "Begins again with a new network of the same configuration" };
  const setTimestamp = {
    name: "setNextBlockTimestamp",
    summary: "Moves time to the first slot that begins at a timestamp or later",
    params: [param("timestamp", seconds, "Unix time in seconds.")],
    handle: (timestamp: number) => network().setNextBlockTimestamp(timestamp),
  };
  return [
    method({
      name: "dumpState",
      summary: "Writes the state of L1 and the node to one file",
      params: [param("file", text(), FILE)],
      handle: (file) => network().dumpState(file),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "loadState",
      summary: "Replaces the state of L1 and the node by that of a file",
      params: [param("file", text(), FILE)],
      handle: (file) => network().loadState(file),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      ...snapshot,
      params: [],
      handle: () => network().snapshot(),
      encode: { svcAdmin: encodeText, evm: encodeText, anvil: encodeText },
    }),
    method({
      ...revert,
      params: [param("id", text(), "As snapshot returned it.")],
      handle: (id) => network().revert(id),
      encode: { svcAdmin: encodeBoolean, evm: encodeBoolean, anvil: encodeBoolean },
    }),
    method({
      name: "getSnapshots",
      summary: "Ids of the snapshots, oldest first",
      params: [],
      handle: () => network().snapshots(),
      encode: { svcAdmin: encodeArray(encodeText) },
    }),
    method({
      name: "getAccounts",
      summary: "Accounts with their balances: those that L1 signs for, and those of the set-up",
      params: [],
      handle: () => network().accounts(),
      encode: { svcAdmin: encodeAccounts },
    }),
    method({
      name: "giveEther",
      summary: "Sends ETH to an account of L1",
      params: [
        param("address", l1Address, "Account on L1."),
        param("ether", optional(integer({ least: 1, most: MAX_ETHER }), 1), "Whole ETH, 1 by default."),
      ],
      handle: (address, ether) => network().giveEther(toHex(address), ether),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "depositFeeJuice",
      summary: "Deposits fee juice for an address on L2, and returns what claims it there",
      params: [param("address", l2Address, "Account or contract on L2.")],
      handle: (address) => network().depositFeeJuice(address),
      encode: { svcAdmin: encodeClaim },
    }),
    method({
      ...reset,
      params: [],
      handle: () => network().reset(),
      encode: { svcAdmin: encodeNothing, anvil: encodeNothing },
    }),
    method({ ...setTimestamp, encode: { svcAdmin: encodeNothing, evm: encodeNothing, anvil: encodeNothing } }),
    method({
      name: "advanceNextBlockTimestampBy",
      summary: "Moves time to the first slot that begins so many seconds after the latest block, or later",
      params: [param("seconds", seconds, "Seconds after the latest block.")],
      handle: (duration) => network().advanceNextBlockTimestampBy(duration),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "increaseTime",
      summary: "As svcAdmin_advanceNextBlockTimestampBy",
      params: [param("seconds", seconds, "Seconds after the latest block.")],
      handle: async (duration) => {
        await network().advanceNextBlockTimestampBy(duration);
        return String(duration);
      },
      encode: { evm: encodeText, anvil: encodeText },
    }),
    method({
      ...mineBlock,
      params: [],
      handle: () => network().mineBlock(),
      encode: { svcAdmin: encodeNothing, nodeDebug: encodeNothing },
    }),
    method({
      ...mineBlock,
      name: "mine",
      params: [],
      handle: async () => {
        await network().mineBlock();
        return MINED;
      },
      encode: { evm: encodeText },
    }),
    method({
      name: "mine",
      summary: "Mines several blocks, the first with the pending transactions",
      params: [
        param("blocks", optional(integer({ least: 1, most: MAX_BLOCKS }), 1), "How many, 1 by default."),
        param("interval", optional(integer({ least: 0, most: MAX_SECONDS }), 0), "Least seconds between two."),
      ],
      handle: async (blocks, interval) => {
        for (let mined = 0; mined < blocks; mined++) {
          if (mined > 0 && interval > 0) await network().advanceNextBlockTimestampBy(interval);
          await network().mineBlock();
        }
      },
      encode: { anvil: encodeNothing },
    }),
  ];
}
