import type { RouterInternals, RpcMessage } from "./router-internals.ts";

/** Messages asked for at once: as many average txs take half of the largest frame. */
const ASKED_TOGETHER = 32;
/** Requests for messages to one peer at once; the reference answers ten per heartbeat. */
const REQUESTS = 8;
/** Bytes of messages in one frame. Frames end at 4 MiB; the rest is for topics and lengths. */
const FRAME_BYTES = 3.5 * 2 ** 20;
/** Bytes of messages sent for one request; the others can be asked for again. */
const ANSWER_BYTES = 8 * 2 ** 20;

/**
 * Asks for messages, and sends those that are asked for, in parts that fit into frames. The library puts each answer
 * into one frame, however large, and a peer that gets one above 4 MiB closes the stream.
 */
export function fitAnswersIntoFrames(inside: RouterInternals): void {
  const asks = inside.handleIHave.bind(inside);
  inside.handleIHave = (peer, offers) => {
    const wanted = asks(peer, offers).flatMap(({ messageIDs }) => messageIDs);
    const [first, ...others] = parts(wanted, () => 1, ASKED_TOGETHER).slice(0, REQUESTS);
    for (const messageIDs of others) {
      const sent = inside.sendRpc(peer, rpc({ iwant: [{ messageIDs }] }));
      if (sent) inside.gossipTracer.addPromise(peer, messageIDs);
    }
    return first === undefined ? [] : [{ messageIDs: first }];
  };
  const answers = inside.handleIWant.bind(inside);
  inside.handleIWant = (peer, requests) => {
    const fitting = within(answers(peer, requests), ANSWER_BYTES);
    const [first = [], ...others] = parts(fitting, sizeOf, FRAME_BYTES);
    for (const messages of others) inside.sendRpc(peer, rpc({}, messages));
    return first;
  };
}

const sizeOf = ({ data }: RpcMessage): number => data?.length ?? 0;

function rpc(control: { iwant?: { messageIDs: Uint8Array[] }[] }, messages: RpcMessage[] = []): object {
  const none = { ihave: [], iwant: [], graft: [], prune: [], idontwant: [] };
  return { subscriptions: [], messages, ...(control.iwant && { control: { ...none, ...control } }) };
}

/** The first messages that are within `most` bytes together. */
function within(messages: readonly RpcMessage[], most: number): RpcMessage[] {
  let left = most;
  return messages.filter((message) => {
    left -= sizeOf(message);
    return left >= 0;
  });
}

/** Items in parts of at most `most` in size, or of one item. */
function parts<Item>(items: readonly Item[], size: (item: Item) => number, most: number): Item[][] {
  const made: Item[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const item of items) {
    used += size(item);
    if (used > most) {
      made.push([]);
      used = size(item);
    }
    made.at(-1)?.push(item);
  }
  return made;
}
