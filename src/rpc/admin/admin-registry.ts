import type { ApiRules } from "../../protocol/generations/api.ts";
import { type Codec, optional } from "../codecs/json/codec.ts";
import { encodeNothing } from "../codecs/json/encoder.ts";
import { integer, plainNumber } from "../codecs/json/number.ts";
import { boolean, text } from "../codecs/json/text.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { type Method, method, param, Registry, spellingsOf } from "../registry/registry.ts";
import { encodeDutyTimes } from "./codecs/duty-times.ts";
import { encodeOffenses, encodeSlashPayloads } from "./codecs/encoders.ts";
import { slashRound } from "./codecs/slash-round.ts";
import { configCodec, configEncoder } from "./config/config-wire.ts";
import { localNetworkMethods } from "./local-network-methods.ts";
import type { AdminServices } from "./ports/admin-services.ts";
import type { SequencerControl } from "./ports/sequencer-control.ts";
import type { Slasher } from "./ports/slasher.ts";
import { reportMethods } from "./report-methods.ts";

const TARGET = "The block that is to be the last; it has to end a checkpoint.";
const FORCE = "Whether to go behind the finalized block too; false by default.";
const BOTH = { nodeAdmin: encodeNothing, svcAdmin: encodeNothing };

/**
 * A parameter that the release's clients send although no document declares it. Only `true` has an effect
 * (docs/protocol/05-rpc.md#536-sync-and-rollback).
 */
const undeclaredFlag: Codec<boolean> = { schema: { type: "boolean" }, read: (value) => value === true };

function configMethods({ config }: AdminServices): Method[] {
  const of = (api: "node" | "svc") => {
    const namespace = api === "node" ? "nodeAdmin" : "svcAdmin";
    return [
      method({
        name: "getConfig",
        summary: "The running configuration, without secrets",
        params: [],
        handle: () => config.current(),
        encode: { [namespace]: configEncoder(api, config.keys) },
      }),
      method({
        name: "setConfig",
        summary: "Merges keys into the running configuration; nothing outlives a restart",
        params: [param("config", configCodec(api, config.keys))],
        handle: (values) => config.change(values),
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
  };
  return [
    method({
      name: "pauseSync",
      summary: "Stops following L1; reads go on",
      params: [],
      handle: () => sync.pause(),
      encode: BOTH,
    }),
    method({
      name: "resumeSync",
      summary: "Follows L1 again",
      params: [],
      handle: () => sync.resume(),
      encode: BOTH,
    }),
    method({
      ...rollbackTo,
      params: [
        param("targetBlockNumber", plainNumber(), TARGET),
        param("force", optional(undeclaredFlag, false), FORCE),
      ],
      handle: (target, force) => sync.rollBackTo(target, { force, resumeSync: true }),
      encode: { nodeAdmin: encodeNothing },
    }),
    method({
      ...rollbackTo,
      params: [
        param("targetBlockNumber", integer({ least: 0 }), TARGET),
        param("force", optional(boolean, false), FORCE),
        param("resumeSync", optional(boolean, true), "Whether L1 is followed again afterwards; true by default."),
      ],
      handle: (target, force, resumeSync) => sync.rollBackTo(target, { force, resumeSync }),
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "startSnapshotUpload",
      summary: "Begins to back the databases up to a location and returns at once",
      params: [param("location", text(), "URL of the store: file://, gs:// or s3://.")],
      handle: (location) => {
        if (snapshots === undefined) {
          throw new ExecutionError("Archiver implementation does not support backups. Cannot generate snapshot.");
        }
        snapshots.startUpload(location);
      },
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
      encode: { svcAdmin: encodeNothing },
    }),
    method({
      name: "resumeSequencer",
      summary: "Builds blocks again after pauseSequencer",
      params: [],
      handle: () => running("resume").resume(),
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
      encode: { nodeAdmin: encodeSlashPayloads },
    }),
    method({
      name: "getSlashOffenses",
      summary: "Offenses that apply to a round",
      params: [param("round", slashRound)],
      handle: (round) => enabled().offenses(round),
      encode: { nodeAdmin: encodeOffenses, svcAdmin: encodeOffenses },
    }),
  ];
}

/**
 * The admin namespaces: nodeAdmin_ of the release, svcAdmin_ of the development line, and those of a local network
 * (docs/protocol/05-rpc.md#536-sync-and-rollback, docs/protocol/05-rpc.md#535-admin-configuration).
 */
export function adminRegistry(services: AdminServices, api: ApiRules): Registry {
  const methods = [
    ...configMethods(services),
    ...syncMethods(services),
    ...sequencerMethods(services),
    ...slasherMethods(services),
    ...localNetworkMethods(services),
    ...reportMethods(services),
    method({
      name: "getDutyTimes",
      summary: "When the duties of the latest slots were done, newest slot first",
      params: [],
      handle: () => services.dutyTimes(),
      encode: { svcAdmin: encodeDutyTimes },
    }),
    method({
      name: "reloadKeystore",
      summary: "Reads the keystore files again",
      params: [],
      handle: () => services.keystore.reload(),
      encode: BOTH,
    }),
  ];
  return new Registry(methods, spellingsOf(api));
}
