import { setTimeout as sleep } from "node:timers/promises";
import { SocketClient } from "../world/rpc/socket-client.ts";

const LOOK_MS = 20;

export interface SubscriberCounts {
  blocks: number;
  /** Connections that ended and were resumed by the last cursor. */
  resumed: number;
  reorgs: number;
  /** Blocks that do not follow the one before, without a reorg in between. */
  gaps: string[];
}

/** A client that hears of each block over WebSocket, and resumes by its cursor on whatever node it is led to. */
export class BlockSubscriber {
  readonly #port: number;
  readonly #running: Promise<void>;
  #counts = none();
  #cursor: string | undefined;
  #last: number | undefined;
  #ended = false;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
    this.#running = this.#follow();
  }

  /** Counts since the last call. */
  take(): SubscriberCounts {
    const counts = this.#counts;
    this.#counts = none();
    return counts;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#ended) {
      // No node may be there to take the connection.
      await this.#listen().catch(() => undefined);
      await sleep(LOOK_MS);
    }
  }

  async #listen(): Promise<void> {
    const client = await SocketClient.to(this.#port);
    let isOpen = true;
    const closed = client.closed.then(() => {
      isOpen = false;
    });
    try {
      const options = this.#cursor === undefined ? {} : { cursor: this.#cursor };
      const { cursor } = (await Promise.race([client.subscribe("blocks", options), closed])) ?? {};
      if (this.#cursor !== undefined && isOpen) this.#counts.resumed += 1;
      this.#cursor ??= cursor;
      while (isOpen && !this.#ended) {
        this.#read(client);
        await Promise.race([closed, sleep(LOOK_MS)]);
      }
      this.#read(client);
    } finally {
      await client.leave();
    }
  }

  #read(client: SocketClient): void {
    for (const { event, cursor } of client.events.splice(0)) {
      this.#cursor = cursor ?? this.#cursor;
      if (event.type === "reorg") {
        this.#counts.reorgs += 1;
        this.#last = (event.ancestor as { number: number }).number;
      } else {
        const { number } = event.block as { number: number };
        if (this.#last !== undefined && number !== this.#last + 1) {
          this.#counts.gaps.push(`block ${number} after ${this.#last}`);
        }
        this.#last = number;
        this.#counts.blocks += 1;
      }
    }
  }
}

function none(): SubscriberCounts {
  return { blocks: 0, resumed: 0, reorgs: 0, gaps: [] };
}
