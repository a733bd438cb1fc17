import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../../core/core.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { askHello, type FeedUpstream } from "../../follower/follow/ask-upstream.ts";
import { UpstreamError } from "../../follower/follow/errors.ts";
import { type Hello, helloFrame, readHello } from "../../follower/format/hello.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { ARCHIVE } from "../../protocol/constants.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { replaceFile } from "../../storage/replace-file.ts";
import { genesisContent, genesisState } from "../../world-state/genesis.ts";

/** The chain of the upstreams cannot be followed with these options or in this data directory. */
class UpstreamChainError extends OperatorError {
  override readonly errorCode: string = "upstream-chain";

  constructor(rule: string) {
    super(rule);
    this.name = "UpstreamChainError";
  }
}

/** In the data directory: what the upstream said of its chain, so that a start needs no upstream. */
const FILE = "upstream-chain.json";
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];

interface UpstreamChainOptions {
  upstreams: readonly FeedUpstream[];
  /** Undefined for a temporary one. */
  directory: string | undefined;
  core: Core;
  /** If configured. */
  rollupVersion: number | undefined;
  registryAddress: string | undefined;
  log: NodeLogger;
  signal: AbortSignal;
}

interface UpstreamChain {
  readonly hello: Hello;
  /** Notes the chain in the data directory, once the store there is known to be of it. */
  keep(): void;
}

/**
 * The chain to follow: what the data directory has it to be, else what the first upstream that answers says. Its
 * genesis state must have the root that it names. Throws UpstreamChainError, or the reason of `signal`.
 */
export async function upstreamChain(options: UpstreamChainOptions): Promise<UpstreamChain> {
  const { directory, core, rollupVersion, registryAddress } = options;
  const path = directory && join(directory, FILE);
  const stored = path !== undefined && existsSync(path) ? readStored(path) : undefined;
  const hello = stored ?? (await firstAnswer(options));
  const { identity, publicData } = hello;
  const root = genesisState(core, genesisContent(generationNamed(identity.generation), publicData)).fork.snapshot(
    ARCHIVE,
  ).root;
  if (!equal(root, identity.genesisArchiveRoot)) {
    const stated = toHex(identity.genesisArchiveRoot);
    throw new UpstreamChainError(`the upstream's genesis state has the archive root ${toHex(root)}, it says ${stated}`);
  }
  const require = (name: string, expected: number | string | undefined, got: number | string): void => {
    if (expected === undefined || expected === got) return;
    throw new UpstreamChainError(
      `the upstream follows another chain: its ${name} is ${got}, configured is ${expected}`,
    );
  };
  require("rollup version", rollupVersion, identity.rollupVersion);
  require("registry address", registryAddress?.toLowerCase(), identity.addresses.registryAddress);
  return {
    hello,
    keep() {
      if (path !== undefined && stored === undefined) replaceFile(path, asText(hello));
    },
  };
}

function asText(hello: Hello): string {
  const { version, identity, publicData, rpcPort } = helloFrame(hello);
  return `${JSON.stringify({ version, identity, publicData: toHex(publicData), rpcPort })}\n`;
}

function readStored(path: string): Hello {
  try {
    const { version, identity, publicData, rpcPort } = JSON.parse(readFileSync(path, "utf8"));
    return readHello({ kind: "hello", version, identity, publicData: fromHex(publicData), rpcPort });
  } catch (cause) {
    throw new UpstreamChainError(
      `${path} cannot be read (${(cause as Error).message}): remove it to ask an upstream again`,
    );
  }
}

/** Asks the upstreams until one answers. */
async function firstAnswer({ upstreams, log, signal }: UpstreamChainOptions): Promise<Hello> {
  for (let round = 0; ; round++) {
    try {
      return await askHello(upstreams, signal);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const waitMs = RETRY_MS[Math.min(round, RETRY_MS.length - 1)];
      log.warn({ err: error, retryInMs: waitMs }, "waiting for an upstream");
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
