import { resolve } from "node:path";
import type { PartValues } from "../../config/part-values.ts";
import { KeystoreError } from "../../keystore/errors.ts";
import { L1Error } from "../../l1/errors.ts";
import type { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { balanceOf } from "../../l1/tx/account-reads.ts";
import { configuredKeys } from "../../node/keys/proposer-keys.ts";
import { checksumAddress } from "../../protocol/l1-address-text.ts";
import { checkKeystore } from "../keystore/run-check.ts";
import { checkSecretFile } from "./check-directory.ts";
import { type Finding, fail, ok, skip, warn } from "./finding.ts";

const ETHER = 10n ** 18n;
/** Some tens of checkpoints at usual fees. */
const LOW_BALANCE = ETHER / 10n;

interface KeyFacts {
  findings: Finding[];
  /** Accounts that pay for transactions on L1. */
  publishers: string[];
}

const ofFile = (error: KeystoreError): Finding[] =>
  error.issues.map((issue) =>
    fail("keys", new KeystoreError([issue]).message, "correct the file; svc keystore check tells more"),
  );

async function checkFiles(path: string): Promise<KeyFacts> {
  try {
    const { validators, remoteSigners, warnings, problems } = await checkKeystore(path);
    const findings = [
      validators.length === 0
        ? fail("keys", `${path} has no validators`, "make keys with svc validator-keys new")
        : ok(
            "keys",
            `${validators.length} attesters: ${validators.map(({ attester }) => attester.address).join(", ")}`,
          ),
      ...remoteSigners
        .filter((signer) => signer.ok)
        .map(({ host, accounts }) => ok("keys", `remote signer ${host} has ${accounts} accounts`)),
      ...problems.map((problem) => fail("keys", problem, "check that the remote signer runs and holds these keys")),
      ...warnings.map((warning) =>
        warning.includes("chmod")
          ? fail("permissions", warning.replace(/: chmod 600$/, ""), `chmod 600 ${warning.split(": ")[0]}`)
          : warn("keys", warning, "see docs/validators.md"),
      ),
    ];
    const publishers = validators.flatMap((validator) => validator.publishers.map(({ address }) => address));
    return { findings, publishers: [...new Set(publishers)] };
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    return { findings: ofFile(error), publishers: [] };
  }
}

async function checkOptions(values: PartValues): Promise<KeyFacts> {
  try {
    const { current } = await configuredKeys(values.keys, () => undefined);
    const attesters = current.attesterAddresses().map(checksumAddress);
    return {
      findings: [ok("keys", `${attesters.length} attesters: ${attesters.join(", ")}`)],
      publishers: current.publisherAddresses().map(checksumAddress),
    };
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    return { findings: ofFile(error), publishers: [] };
  }
}

/** Keys of validators and publishers, and the key of the peer id. */
export async function checkKeys(values: PartValues): Promise<KeyFacts> {
  const { directory: keyStoreDirectory } = values.keys;
  const { keyPath: peerIdPrivateKeyPath } = values.p2p.own;
  const peer = peerIdPrivateKeyPath === undefined ? undefined : checkSecretFile("permissions", peerIdPrivateKeyPath);
  const findings = peer === undefined ? [] : [peer];
  if (!values.modes.sequencer) return { findings: [...findings, skip("keys", "no --sequencer")], publishers: [] };
  const keys = await (keyStoreDirectory === undefined ? checkOptions(values) : checkFiles(resolve(keyStoreDirectory)));
  return { ...keys, findings: [...findings, ...keys.findings] };
}

const ether = (wei: bigint): string => `${wei / ETHER}.${((wei % ETHER) / 10n ** 14n).toString().padStart(4, "0")} ETH`;

/** Balances of the accounts that publish. */
export async function checkBalances(rpc: L1Rpc, publishers: readonly string[]): Promise<Finding[]> {
  return Promise.all(
    publishers.map(async (address) => {
      try {
        const balance = await balanceOf(rpc, address.toLowerCase());
        const text = `publisher ${address} has ${ether(balance)}`;
        const remedy = `send ETH to ${address}`;
        if (balance === 0n) return fail("balance", `${text} and cannot publish`, remedy);
        return balance < LOW_BALANCE ? warn("balance", text, remedy) : ok("balance", text);
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
        return warn("balance", `of ${address} is unknown: ${error.rule}`, "see the lines about L1");
      }
    }),
  );
}
