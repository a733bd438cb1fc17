import { ExecutionError } from "../jsonrpc/errors.ts";
import { type Codec, optional } from "../params/codec.ts";
import { integer, plainNumber } from "../params/number.ts";
import { boolean, text } from "../params/text.ts";
import { type Method, method, param, Registry } from "../registry.ts";
import { configCodec, configEncoder } from "./config-wire.ts";
import { encodeNothing, encodeOffenses, encodeSlashPayloads } from "./encoders.ts";
import { slashRound } from "./params/slash-round.ts";
import type { AdminServices, SequencerControl, Slasher } from "./services.ts";

const BOTH = { nodeAdmin: encodeNothing, svcAdmin: encodeNothing };

/** A parameter that the release's clients send without declaring it: only `true` means anything (sheet 02 section 5.1). */
const undeclaredFlag: Codec<boolean> = { schema: { type: "boolean" }, read: (value) => value === true };

function configMethods({ config }: AdminServices): Method[] {
  const of = (generation: "node" | "svc") => {
    const namespace = generation === "node" ? "nodeAdmin" : "svcAdmin";
    return [
      method({
        name: "getConfig",
        summary: "The running configuration, without secrets",
        params: [],
        handle: () => config.current(),
        returns: "NodeAdminConfig",
        encode: { [namespace]: configEncoder(generation) },
      }),
      method({
        name: "setConfig",
        summary: "Merges keys into the running configuration; nothing outlives a restart",
        params: [param("config", configCodec(generation))],
        handle: (values) => config.change(values),
        returns: "void",
        encode: { [namespace]: encodeNothing },
      }),
    ];
  };
  return [...of("node"), ...of("svc")];
}

function syncMethods({ sync, snapshots }: AdminServices): Method[] {
  const rollbackTo = {
    name: "rollbackTo",
    summary: "Takes chain and world state back to a block that ends a checkpoint",
    returns: "void",
  };
  return [
    method({
      name: "pauseSync",
      summary: "Stops following L1; reads go on",
      params: [],
      handle: () => sync.pause(),
      returns: "void",
      encode: BOTH,
    }),
    method({
      name: "resumeSync",
      summary: "Follows L1 again",
      params: [],
      handle: () => sync.resume(),
      returns: "void",
      encode: BOTH,
    }),
    method({
      ...rollbackTo,
      params: [param("targetBlockNumber", plainNumber()), param("force", optional(undeclaredFlag, false))],
      handle: (target, force) => sync.rollBackTo(target, { force, resumeSync: true }),
      encode: { nodeAdmin: encodeNothing },
    }),
    method({
      ...rollbackTo,
      params: [
        param("targetBlockNumber", integer({ least: 0 })),
        param("force", optional(boolean, false)),
        param("resumeSync", optional(boolean, true)),
      ],
      handle: (target, force, resumeSync) => sync.rollBackTo(target, { force, resumeSync }),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "startSnapshotUpload",
      summary: "Begins to back the databases up to a location and returns at once",
      params: [param("location", text())],
      handle: (location) => {
        if (snapshots === undefined) {
          throw new ExecutionError("Archiver implementation does not support backups. Cannot generate snapshot.");
        }
        snapshots.startUpload(location);
      },
      returns: "void",
      encode: BOTH,
    }),
  ];
}

function sequencerMethods({ sequencer }: AdminServices): Method[] {
  const running = (verb: string): SequencerControl => {
    if (sequencer === undefined) throw new ExecutionError(`Cannot ${verb} sequencer: no sequencer is running`);
    return sequencer;
  };
  return [
    method({
      name: "pauseSequencer",
      summary: "Stops building blocks; pending txs stay in the pool",
      params: [],
      handle: () => running("pause").pause(),
      returns: "void",
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "resumeSequencer",
      summary: "Builds blocks again after pauseSequencer",
      params: [],
      handle: () => running("resume").resume(),
      returns: "void",
      encode: { svcAdmin: encodeNothing },
    }),
  ];
}

function slasherMethods({ slasher }: AdminServices): Method[] {
  const enabled = (): Slasher => {
    if (slasher === undefined) throw new ExecutionError("Slasher client not enabled");
    return slasher;
  };
  return [
    method({
      name: "getSlashPayloads",
      summary: "Slash payloads that are monitored in the current round",
      params: [],
      handle: () => enabled().payloads(),
      returns: "SlashPayloadRound[]",
      encode: { nodeAdmin: encodeSlashPayloads },
    }),
    method({
      name: "getSlashOffenses",
      summary: "Offenses that apply to a round",
      params: [param("round", slashRound)],
      handle: (round) => enabled().offenses(round),
      returns: "Offense[]",
      encode: { nodeAdmin: encodeOffenses, svcAdmin: encodeOffenses },
    }),
  ];
}

/** Both admin namespaces: nodeAdmin_ of the release, svcAdmin_ of the development line (sheet 02 section 5.1, sheet 03 section 14). */
export function adminRegistry(services: AdminServices): Registry {
  return new Registry([
    ...configMethods(services),
    ...syncMethods(services),
    ...sequencerMethods(services),
    ...slasherMethods(services),
    method({
      name: "reloadKeystore",
      summary: "Reads the keystore files again",
      params: [],
      handle: () => services.keystore.reload(),
      returns: "void",
      encode: BOTH,
    }),
  ]);
}
