import type { PartValues } from "../../config/part-values.ts";
import { Bootnode } from "../../p2p/discovery/bootnode.ts";
import { BOOTNODE_FIRST_SEQUENCE, bootnodeContent } from "../../p2p/discovery/node-record.ts";
import { OwnRecord } from "../../p2p/discovery/own-record.ts";
import { usableRecords } from "../../p2p/discovery/record-rules.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { DEFAULT_GENERATION } from "../../protocol/generations/known/choose.ts";
import { bootnodeRegistry } from "../../rpc/methods/node/bootnode.ts";
import { HealthRoute } from "../../rpc/routes/health-route.ts";
import { startRpcServer } from "../../rpc/server/rpc-server.ts";
import { announcedIp, configuredIdentity, recordFile } from "../peers/own-identity.ts";

export interface RunningBootnode extends RunningService {
  readonly enr: string;
  /** Of JSON-RPC. */
  readonly port: number;
}

/** Starts a bootnode and its JSON-RPC port. Rejects with an OperatorError. */
export async function startBootnode(
  values: PartValues,
  {
    dataDirectory,
    loggerFor,
    signal,
  }: { dataDirectory: string | undefined; loggerFor: LoggerFor; signal: AbortSignal },
): Promise<RunningBootnode> {
  const log = loggerFor("p2p");
  const identity = configuredIdentity(values.p2p.own, dataDirectory, log);
  const ip = await announcedIp(values.p2p.own, log, signal);
  if (ip === undefined) throw new RangeError("a bootnode needs an address to announce");
  const udp = values.p2p.own.broadcastPort ?? values.p2p.own.port;
  const bootnode = new Bootnode({
    identity,
    record: new OwnRecord({
      identity,
      content: bootnodeContent({ l1ChainId: values.l1.chainId, ip, udp }, DEFAULT_GENERATION.contracts),
      file: recordFile(dataDirectory, log),
      first: BOOTNODE_FIRST_SEQUENCE,
    }),
    listen: { address: values.p2p.own.address, port: udp },
    bootnodes: usableRecords(values.p2p.discovery.bootnodes, "bootstrapNodes", log),
    log,
  });
  const teardown = new Teardown(log);
  try {
    await bootnode.start();
    teardown.add("bootnode", () => bootnode.stop());
    const { enr } = bootnode;
    log.info({ peer: identity.id, ip, udp, enr }, "bootnode {peer} at {ip} UDP port {udp}, node record {enr}");
    const listener = await startRpcServer(
      bootnodeRegistry(bootnode),
      {
        listen: { host: values.rpc.listen.host, port: values.rpc.listen.port, prefix: values.rpc.listen.prefix },
        serve: {
          namespaces: ["bootstrap"],
          guard: (application) => new HealthRoute(application),
        },
        limits: {
          maxBodyBytes: values.rpc.limits.maxBodyBytes,
          maxBatchSize: values.rpc.limits.maxBatchSize,
          maxConnections: values.rpc.limits.maxConnections,
          maxConnectionsPerClient: values.rpc.limits.maxConnectionsPerClient,
          rateLimit: values.rpc.limits.rateLimit,
        },
      },
      loggerFor("rpc"),
    );
    teardown.add("rpc", () => listener.close());
    log.info({ host: values.rpc.listen.host, port: listener.port }, "answering JSON-RPC on {host}:{port}");
    return { enr, port: listener.port, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
