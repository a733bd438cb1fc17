import { Command } from "commander";
import { orUsageError } from "../arguments/usage-error.ts";
import type { StakerFlags } from "../validator-keys/check-digest.ts";
import { KeyCommandError } from "../validator-keys/errors.ts";
import type { MakeFlags } from "../validator-keys/key-flags.ts";
import type { BlsKeypairFlags } from "../validator-keys/run-bls-keypair.ts";
import type { ImportFlags } from "../validator-keys/run-import.ts";
import type { NewFlags } from "../validator-keys/run-new.ts";
import type { StakerCommandFlags } from "../validator-keys/run-staker.ts";

/**
 * Wrong usage is reported without what was given, which may be a secret: a password after a flag that takes none, or
 * behind its equals sign.
 */
function withoutEcho(command: Command): Command {
  return command.allowExcessArguments().configureOutput({
    outputError: (text, write) => write(text.replace(/(option '--?[\w-]+)=.*'/s, "$1'")),
  });
}

/** Refuses arguments that a command does not take, without repeating them. Throws KeyCommandError. */
function refuseMore(command: Command): void {
  if (command.args.length <= command.registeredArguments.length) return;
  throw new KeyCommandError(
    command.name(),
    "has too many arguments: secrets come from a terminal (--password) or from a file (--password-file), never from arguments",
  );
}

/**
 * Where keystores go, and how their keys are stored. Secrets come from files or are asked for, never from arguments.
 */
function addOutputOptions(command: Command): Command {
  return command
    .option("--data-dir <path>", "folder of the keystore (default: ~/.svc/keystore)")
    .option("--file <name>", "name of the keystore file (default: key1.json, or the next free keyN.json)")
    .option("--coinbase <address>", "L1 address that receives the rewards (default: the attester's)")
    .option("--fee-recipient <address>", "L2 address that receives the fees")
    .option("--password", "encrypt the keys with a password, which is asked for")
    .option("--password-file <file>", "encrypt the keys with the password in a file")
    .option("--encrypted-keystore-dir <dir>", "folder of the encrypted files (default: encrypted, beside the keystore)")
    .option("--json", "print addresses and public keys as JSON");
}

function addKeyOptions(command: Command): Command {
  return addOutputOptions(command)
    .option("--count <n>", "number of validators (default: 1)")
    .option("--publisher-count <n>", "publishers to derive for each validator (default: 0)")
    .option("--publishers-file <file>", "file of private keys that publish for all validators")
    .option("--mnemonic", "ask for the mnemonic (default: a new one, which is printed)")
    .option("--mnemonic-file <file>", "file of the mnemonic")
    .option("--passphrase", "ask for the passphrase of the mnemonic")
    .option("--passphrase-file <file>", "file of the passphrase of the mnemonic")
    .option("--account-index <n>", "account of the derivation paths (default: 0)")
    .option("--address-index <n>", "address of the first validator in the derivation paths")
    .option("--ikm-file <file>", "file of 32 bytes in hex that the BLS keys are made of, instead of the mnemonic")
    .option("--bls-path <path>", "path of the only BLS key (default: m/12381/3600/<account>/0/<address>)")
    .option("--remote-signer <url>", "write addresses of this remote signer, which holds the keys of the mnemonic");
}

function addStakerOptions(command: Command): Command {
  return command
    .option("--gse-address <address>", "contract of stakes that must agree with the proofs of possession")
    .option("--l1-rpc-urls <urls>", "comma list of L1 RPC URLs, to ask that contract")
    .option("-c, --l1-chain-id <n>", "chain id that L1 must have");
}

function newCommand(): Command {
  const command = addKeyOptions(withoutEcho(new Command("new")))
    .description("make validators: a keystore file with L1 and BLS keys")
    .option("--staker-output", "also write what registers the validators");
  return addStakerOptions(command).action((flags: NewFlags & StakerFlags, used: Command) =>
    orUsageError(async () => {
      refuseMore(used);
      const { runNew } = await import("../validator-keys/run-new.ts");
      await runNew(flags);
    }),
  );
}

function addCommand(): Command {
  return addKeyOptions(withoutEcho(new Command("add")))
    .description("add validators to a keystore file; without --file it is replaced")
    .argument("<existing>", "keystore file")
    .action((existing: string, flags: MakeFlags, used: Command) =>
      orUsageError(async () => {
        refuseMore(used);
        const { runAdd } = await import("../validator-keys/run-add.ts");
        await runAdd(existing, flags);
      }),
    );
}

function importCommand(): Command {
  return addOutputOptions(withoutEcho(new Command("import")))
    .description("make a keystore file of keys from elsewhere")
    .argument(
      "<source>",
      "keystore file of another node, encrypted JSON V3 file or folder of them, or text file with a private key a line " +
        "(and a BLS key after it)",
    )
    .option("--key-password", "ask for the password of encrypted files")
    .option("--key-password-file <file>", "file of the password of encrypted files")
    .option("--relative-to <dir>", "where relative paths of a keystore file start (default: its folder)")
    .action((source: string, flags: ImportFlags, used: Command) =>
      orUsageError(async () => {
        refuseMore(used);
        const { runImport } = await import("../validator-keys/run-import.ts");
        await runImport(source, flags);
      }),
    );
}

function listCommand(): Command {
  return withoutEcho(new Command("list"))
    .description("print the validators of a keystore, without secrets")
    .argument("<keystore>", "keystore file or folder")
    .option("--json", "print them as JSON")
    .action((path: string, flags: { json?: boolean }, used: Command) =>
      orUsageError(async () => {
        refuseMore(used);
        const { runList } = await import("../validator-keys/run-list.ts");
        await runList(path, flags);
      }),
    );
}

function stakerCommand(): Command {
  const command = withoutEcho(new Command("staker"))
    .description("write what registers the validators of a keystore: public keys and proofs of possession")
    .requiredOption("--from <keystore>", "keystore file or folder")
    .option("--output <path>", "file or folder of the result (default: folder staker, beside the keystore)");
  return addStakerOptions(command).action((flags: StakerCommandFlags, used: Command) =>
    orUsageError(async () => {
      refuseMore(used);
      const { runStaker } = await import("../validator-keys/run-staker.ts");
      await runStaker(flags);
    }),
  );
}

/** One BLS key by itself. The reference has this command at the top level. */
export function generateBlsKeypairCommand(): Command {
  return withoutEcho(new Command("generate-bls-keypair"))
    .description("derive one BLS key and write it to a file")
    .option("--mnemonic", "ask for the mnemonic")
    .option("--mnemonic-file <file>", "file of the mnemonic")
    .option("--ikm-file <file>", "file of 32 bytes in hex, instead of a mnemonic")
    .option("--bls-path <path>", "derivation path (default: m/12381/3600/0/0/0)")
    .requiredOption("--out <file>", "file to write; it must not exist")
    .option("--json", "print path and public key as JSON")
    .action((flags: BlsKeypairFlags, used: Command) =>
      orUsageError(async () => {
        refuseMore(used);
        const { runBlsKeypair } = await import("../validator-keys/run-bls-keypair.ts");
        await runBlsKeypair(flags);
      }),
    );
}

/** Makes, imports and lists the keys of validators. */
export function validatorKeysCommand(): Command {
  return new Command("validator-keys")
    .aliases(["valKeys", "valkeys"])
    .description("make, import, list and register the keys of validators")
    .addCommand(newCommand())
    .addCommand(addCommand())
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(stakerCommand());
}
