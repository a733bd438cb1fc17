import type { Values } from "../../config/options.ts";
import { Bootnode } from "../../p2p/discovery/bootnode.ts";
import { BOOTNODE_FIRST_SEQUENCE, bootnodeContent } from "../../p2p/discovery/node-record.ts";
import { OwnRecord } from "../../p2p/discovery/own-record.ts";
import { usableRecords } from "../../p2p/discovery/record-rules.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { bootnodeRegistry } from "../../rpc/methods/node/bootnode.ts";
import { HealthRoute } from "../../rpc/routes/health-route.ts";
import { startRpcServer } from "../../rpc/server/rpc-server.ts";
import { announcedIp, configuredIdentity, recordFile } from "../peers/own-identity.ts";

export type BootnodeSettings = Pick<
  Values,
  | "p2pIp"
  | "queryForIp"
  | "p2pPort"
  | "p2pBroadcastPort"
  | "listenAddress"
  | "peerIdPrivateKey"
  | "peerIdPrivateKeyPath"
  | "bootstrapNodes"
  | "l1ChainId"
  | "port"
  | "apiPrefix"
  | "rpcHost"
  | "rpcMaxBodySize"
  | "rpcMaxBatchSize"
  | "rpcMaxConnections"
  | "rpcMaxConnectionsPerClient"
  | "rpcRateLimit"
>;

export interface RunningBootnode extends RunningService {
  readonly enr: string;
  /** Of JSON-RPC. */
  readonly port: number;
}

/** Starts a bootnode and its JSON-RPC port. Rejects with an OperatorError. */
export async function startBootnode(
  values: BootnodeSettings,
  {
    dataDirectory,
    loggerFor,
    signal,
  }: { dataDirectory: string | undefined; loggerFor: LoggerFor; signal: AbortSignal },
): Promise<RunningBootnode> {
  const log = loggerFor("p2p");
  const identity = configuredIdentity(values, dataDirectory, log);
  const ip = await announcedIp(values, log, signal);
  if (ip === undefined) throw new RangeError("a bootnode needs an address to announce");
  const udp = values.p2pBroadcastPort ?? values.p2pPort;
  const bootnode = new Bootnode({
    identity,
    record: new OwnRecord({
      identity,
      content: bootnodeContent(values.l1ChainId, ip, udp),
      file: recordFile(dataDirectory, log),
      first: BOOTNODE_FIRST_SEQUENCE,
    }),
    listen: { address: values.listenAddress, port: udp },
    bootnodes: usableRecords(values.bootstrapNodes, "bootstrapNodes", log),
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
        listen: { host: values.rpcHost, port: values.port, prefix: values.apiPrefix },
        serve: {
          namespaces: ["bootstrap"],
          guard: (application) => new HealthRoute(application),
        },
        limits: {
          maxBodyBytes: values.rpcMaxBodySize,
          maxBatchSize: values.rpcMaxBatchSize,
          maxConnections: values.rpcMaxConnections,
          maxConnectionsPerClient: values.rpcMaxConnectionsPerClient,
          rateLimit: values.rpcRateLimit,
        },
      },
      loggerFor("rpc"),
    );
    teardown.add("rpc", () => listener.close());
    log.info({ host: values.rpcHost, port: listener.port }, "answering JSON-RPC on {host}:{port}");
    return { enr, port: listener.port, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
