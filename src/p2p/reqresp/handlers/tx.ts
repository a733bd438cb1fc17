import { decodeTxRequest, encodeTxs } from "../codecs/tx-list.ts";
import { type RequestHandler, success } from "../request-handler.ts";
import { gatherTxs, type ServedTxs } from "./served-txs.ts";

/** Answers with those of the transactions that are there and fit. */
export function txHandler(txs: ServedTxs): RequestHandler {
  return ({ bytes, room }) => success(encodeTxs(gatherTxs(txs, decodeTxRequest(bytes), room)));
}
