import type { Logger } from "../../telemetry/logger.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import { SocketCounts } from "../limits/socket-counts.ts";
import { TurnShare } from "../limits/turn-share.ts";
import type { Answer, RequestHead, WebSocketApplication } from "../wire/listener.ts";
import { TOO_MANY_SOCKETS } from "../wire/refusals.ts";
import { GOING_AWAY, type ServerSocket, type SocketHandlers, TRY_AGAIN_LATER } from "../wire/web-socket.ts";
import type { SocketAccess, SocketGate } from "./socket-access.ts";
import { SocketCutLog, SocketCuts } from "./socket-cuts.ts";
import { type SocketLimits, SocketSession } from "./socket-session.ts";
import type { SubscriptionHub } from "./subscription-hub.ts";

/** Interval of looks at connections with unread bytes. */
const LOOK_MS = 1_000;

/** Plain data: it crosses threads. */
export interface SocketSettings extends Omit<SocketLimits, "maxWaitingBytes"> {
  /** Sockets of one client at once, 0 for any number. */
  maxPerClient: number;
  /** Longest message of a client. */
  maxMessageBytes: number;
  idleTimeoutMs: number;
  /** Blocks that a client may be behind, and that are sent again to one that resumes. */
  maxBehind: number;
}

interface SocketApplicationOptions {
  /** See WebSocketApplication. */
  paths: readonly string[];
  settings: SocketSettings;
  /** A client that takes nothing of what waits for this long is dropped. */
  stallTimeoutMs: number;
  /** A message has to be complete this long after its first byte. */
  messageTimeoutMs: number;
  gate: SocketGate;
  budget: AnswerBudget;
  /** Bounds the bytes of messages that are not complete yet. */
  unfinished: AnswerBudget;
  counts?: SocketCounts;
  cuts?: SocketCuts;
}

/** What a client has left unread, and since when. */
interface Unread {
  bytes: number;
  since: number;
}

/** The WebSocket connections of one listener. */
export class SocketApplication implements WebSocketApplication {
  readonly paths: readonly string[];
  readonly maxMessageBytes: number;
  readonly idleTimeoutMs: number;
  readonly messageTimeoutMs: number;
  readonly unfinished: AnswerBudget;
  readonly #hub: SubscriptionHub;
  readonly #options: SocketApplicationOptions;
  readonly #counts: SocketCounts;
  readonly #cuts: SocketCuts;
  readonly #log: Logger;
  readonly #cutLog: SocketCutLog;
  readonly #share = new TurnShare();
  readonly #sessions = new Set<SocketSession>();
  readonly #unread = new Map<SocketSession, Unread>();
  #looks: NodeJS.Timeout | undefined;

  constructor(hub: SubscriptionHub, options: SocketApplicationOptions, log: Logger) {
    this.#hub = hub;
    this.#options = options;
    this.#counts = options.counts ?? new SocketCounts();
    this.#cuts = options.cuts ?? new SocketCuts();
    this.#log = log;
    this.#cutLog = new SocketCutLog(log);
    this.paths = options.paths;
    this.maxMessageBytes = options.settings.maxMessageBytes;
    this.idleTimeoutMs = options.settings.idleTimeoutMs;
    this.messageTimeoutMs = options.messageTimeoutMs;
    this.unfinished = options.unfinished;
  }

  accept(head: RequestHead): Answer | ((socket: ServerSocket) => SocketHandlers) {
    const client = head.client();
    const { maxPerClient } = this.#options.settings;
    const isOver = maxPerClient > 0 && this.#counts.of(client) >= maxPerClient;
    if (isOver) return TOO_MANY_SOCKETS;
    const access = this.#options.gate(head);
    return typeof access === "function" ? (socket) => this.#open(socket, client, access) : access;
  }

  /** Sockets that are served now. */
  get open(): number {
    return this.#sessions.size;
  }

  close(): void {
    for (const session of [...this.#sessions]) session.end(GOING_AWAY, "the node is stopping");
    clearInterval(this.#looks);
    this.#hub.close();
  }

  #open(socket: ServerSocket, client: string, access: () => SocketAccess | undefined): SocketHandlers {
    const { settings, budget } = this.#options;
    const session = new SocketSession(socket, client, {
      access,
      hub: this.#hub,
      budget,
      share: this.#share,
      limits: { ...settings, maxWaitingBytes: settings.maxMessageBytes },
      unread: (which) => this.#noteUnread(which),
      failed: (err) => this.#log.error({ err }, "events of a subscription could not be read"),
      cut: (_, cause, reason) => {
        this.#cuts.add(cause);
        this.#cutLog.note({ cause, client, reason });
      },
      closed: (which) => {
        this.#counts.closed(client);
        this.#sessions.delete(which);
        this.#unread.delete(which);
      },
    });
    this.#counts.opened(client);
    this.#sessions.add(session);
    return session;
  }

  #noteUnread(session: SocketSession): void {
    if (this.#unread.has(session)) return;
    this.#unread.set(session, { bytes: Number.POSITIVE_INFINITY, since: performance.now() });
    this.#looks ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    for (const [session, seen] of this.#unread) {
      const { buffered } = session;
      const overdue = session.overdue();
      if (buffered < seen.bytes) seen.since = now;
      seen.bytes = buffered;
      if (buffered === 0) this.#unread.delete(session);
      else if (overdue !== undefined) session.cut("unread", TRY_AGAIN_LATER, `the client is too slow: ${overdue}`);
      else if (now - seen.since > this.#options.stallTimeoutMs) {
        session.cut("unread", TRY_AGAIN_LATER, "the client does not read; resume from the last cursor");
      }
    }
    if (this.#unread.size > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
  }
}
