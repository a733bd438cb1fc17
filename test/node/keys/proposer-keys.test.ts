import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../../../src/config/kinds/secret.ts";
import { KeystoreError } from "../../../src/keystore/errors.ts";
import { configuredKeys } from "../../../src/node/keys/proposer-keys.ts";
import { toHex } from "../../../src/protocol/bytes.ts";

/** Accounts 0 and 1 of the development mnemonic. */
const KEY_0 = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const KEY_1 = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ADDRESS_0 = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const ADDRESS_1 = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

const NO_PROVER = { privateKeys: undefined, addresses: [], id: undefined };

const keysOf = async (given: Partial<Parameters<typeof configuredKeys>[0]>) =>
  (
    await configuredKeys(
      {
        directory: undefined,
        attesters: { privateKeys: undefined, addresses: [] },
        publishers: { privateKeys: undefined, addresses: [] },
        prover: NO_PROVER,
        web3SignerUrl: undefined,
        coinbase: undefined,
        feeRecipient: undefined,
        ...given,
      },
      () => {},
    )
  ).current;

test("with validator keys only, the first address is coinbase and publisher, and the fee recipient is zero", async () => {
  const keys = await keysOf({ attesters: { privateKeys: new Secret([KEY_0, KEY_1]), addresses: [] } });
  expect(keys.attesterAddresses()).toEqual([ADDRESS_0, ADDRESS_1]);
  expect(keys.coinbaseOf(ADDRESS_1)).toBe(ADDRESS_0);
  expect(keys.publisherAddresses()).toEqual([ADDRESS_0]);
  expect(keys.feeRecipientOf(ADDRESS_1)).toBe(toHex(new Uint8Array(32)));
});

test("publisher keys publish for the configured coinbase and fee recipient", async () => {
  const keys = await keysOf({
    attesters: { privateKeys: new Secret([KEY_0]), addresses: [] },
    publishers: { privateKeys: new Secret([KEY_1]), addresses: [] },
    coinbase: `0x${"Ab".repeat(20)}`,
    feeRecipient: new Uint8Array(32).fill(7),
  });
  expect(keys.publishersOf(ADDRESS_0).map(({ address }) => address)).toEqual([ADDRESS_1]);
  expect(keys.coinbaseOf(ADDRESS_0)).toBe(`0x${"ab".repeat(20)}`);
  expect(keys.feeRecipientOf(ADDRESS_0)).toBe(`0x${"07".repeat(32)}`);
});

test("with publisher keys only, these propose", async () => {
  const keys = await keysOf({ publishers: { privateKeys: new Secret([KEY_1]), addresses: [] } });
  expect(keys.attesterAddresses()).toEqual([ADDRESS_1]);
});

test("a proposer needs keys, and addresses without keys need a remote signer", async () => {
  await expect(keysOf({})).rejects.toThrow(KeystoreError);
  await expect(keysOf({ attesters: { privateKeys: undefined, addresses: [ADDRESS_0] } })).rejects.toThrow(
    /WEB3_SIGNER_URL/,
  );
});

test("keystore files take the place of keys from options, with a warning, and must have validators", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-proposer-keys-"));
  try {
    const path = join(folder, "keys.json");
    const values = {
      directory: path,
      attesters: { privateKeys: new Secret([KEY_1]), addresses: [] },
      publishers: { privateKeys: undefined, addresses: [] },
      prover: NO_PROVER,
      web3SignerUrl: undefined,
      coinbase: ADDRESS_1,
      feeRecipient: undefined,
    };
    const warnings: object[] = [];
    const configured = () => configuredKeys(values, (facts) => void warnings.push(facts));
    const validator = { attester: KEY_0, feeRecipient: `0x${"0b".repeat(32)}` };
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, validators: [validator] }));
    expect((await configured()).current.attesterAddresses()).toEqual([ADDRESS_0]);
    expect(warnings).toEqual([{ unused: "VALIDATOR_PRIVATE_KEYS COINBASE" }]);
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, prover: KEY_0 }));
    await expect(configured()).rejects.toThrow(`${path}: validators must not be empty: a sequencer needs them`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
