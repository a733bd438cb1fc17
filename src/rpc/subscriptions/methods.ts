import { array, described, type Issue, issuesError, object, optional, typed } from "../codecs/json/codec.ts";
import { encodeBoolean, encoder } from "../codecs/json/encoder.ts";
import { fieldText, l2AddressText, txHashText } from "../codecs/json/hex-text.ts";
import { about, record, TEXT } from "../codecs/json/json-schema.ts";
import { boolean, text, word } from "../codecs/json/text.ts";
import { MAX_TAGS } from "../codecs/shared/log-query.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import {
  SUBSCRIPTION_KINDS,
  type Subscribed,
  type Subscriber,
  type SubscriptionKind,
  type SubscriptionOptions,
} from "../ports/subscriber.ts";
import { type Method, method, type Origin, param } from "../registry/registry.ts";
import { NOTIFICATION, NOTIFICATION_PARAMS } from "./notification.ts";

const MAX_ID_LENGTH = 128;
const MAX_CURSOR_LENGTH = 512;

const flag = optional(boolean, false);
const subscriptionOptions = typed(
  object({
    cursor: described(
      optional(text(MAX_CURSOR_LENGTH)),
      "Go on after the event with this cursor; by default from now on.",
    ),
    includeTransactions: described(flag, "Of blocks: whether to show the effects of their transactions."),
    includeEffects: described(flag, "Of logs: whether to add their transactions' note hashes and nullifiers."),
    tags: described(
      optional(array(fieldText, MAX_TAGS, 1)),
      "Of logs: their tags, siloed by the contract for private logs, as emitted for public ones.",
    ),
    contractAddress: described(optional(l2AddressText), "Of public logs: the contract that emitted them."),
    txHash: described(optional(txHashText), "Of a transaction: its hash."),
  }),
  "SubscriptionOptions",
  "Which events of the kind, as far as it has the choice.",
);

/** Options of each kind; those in `required` must be given. */
const OPTIONS: Readonly<Record<SubscriptionKind, { required: readonly Option[]; allowed: readonly Option[] }>> = {
  tips: { required: [], allowed: ["cursor"] },
  blocks: { required: [], allowed: ["cursor", "includeTransactions"] },
  privateLogs: { required: ["tags"], allowed: ["cursor", "includeEffects"] },
  publicLogs: { required: ["contractAddress"], allowed: ["cursor", "includeEffects", "tags"] },
  transaction: { required: ["txHash"], allowed: [] },
  pendingTransactions: { required: [], allowed: ["cursor"] },
};
type Option = keyof SubscriptionOptions;

const NO_OPTIONS: SubscriptionOptions = { includeTransactions: false, includeEffects: false };
const OPTIONS_PARAM = 1;

function checkOptions(kind: SubscriptionKind, options: SubscriptionOptions): void {
  const { required, allowed } = OPTIONS[kind];
  const issues: Issue[] = [];
  for (const name of required) {
    if (options[name] === undefined) issues.push({ text: "Required", path: [OPTIONS_PARAM, name] });
  }
  for (const [name, value] of Object.entries(options) as [Option, unknown][]) {
    if (value === undefined || value === false || required.includes(name) || allowed.includes(name)) continue;
    issues.push({ text: `Not an option of '${kind}'`, path: [OPTIONS_PARAM, name] });
  }
  if (issues.length > 0) throw issuesError(issues);
}

function subscriberOf({ caller }: Origin): Subscriber {
  if (caller?.subscriber !== undefined) return caller.subscriber;
  throw new ExecutionError("Subscriptions need a WebSocket connection, which this port serves at the same address");
}

const SUBSCRIBED = record(
  "Subscribed",
  "A new subscription. Its events come as notifications svc_subscription, after this answer.",
  { subscription: about(TEXT, "Names it in its events.") },
  { cursor: about(TEXT, "Resumes before the first event; not of a transaction.") },
);
const encodeSubscribed = encoder<Subscribed>(SUBSCRIBED, (out, { subscription, cursor }) => {
  out.text('{"subscription":').value(subscription);
  if (cursor !== undefined) out.text(',"cursor":').value(cursor);
  out.text("}");
});

/** Subscriptions over WebSocket. */
export function subscriptionMethods(): Method[] {
  return [
    method({
      name: "subscribe",
      summary: "Over WebSocket: has events sent as they happen, or from a cursor on",
      params: [
        param("kind", word(SUBSCRIPTION_KINDS), "What the events are about."),
        param("options", optional(subscriptionOptions, NO_OPTIONS)),
      ],
      handleFrom: (origin, kind, options) => {
        checkOptions(kind, options);
        return subscriberOf(origin).subscribe(kind, options);
      },
      notification: { name: NOTIFICATION, schema: NOTIFICATION_PARAMS },
      encode: { svc: encodeSubscribed },
    }),
    method({
      name: "unsubscribe",
      summary: "Over WebSocket: ends a subscription; whether there was one",
      params: [param("subscription", text(MAX_ID_LENGTH), "As svc_subscribe named it.")],
      handleFrom: (origin, subscription) => subscriberOf(origin).unsubscribe(subscription),
      encode: { svc: encodeBoolean },
    }),
  ];
}
