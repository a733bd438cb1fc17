import { expect, test } from "vitest";
import { ActiveKeystore } from "../../src/keystore/active-keystore.ts";
import { KeystoreError } from "../../src/keystore/errors.ts";
import { Keystore, type ValidatorKeys } from "../../src/keystore/keystore.ts";
import { PrivateKey } from "../../src/keystore/private-key.ts";
import { keystoreControl } from "../../src/node/services/keystore-control.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";

function unexpected(error: unknown): never {
  throw error;
}

function account(seed: number) {
  const key = new PrivateKey(new Uint8Array(32).fill(seed));
  return { kind: "local", address: key.address, key } as const;
}
const [A, B, P, Q] = [1, 2, 3, 4].map(account);
const FEES = `0x${"0b".repeat(32)}`;
const keys = (attester: typeof A, more: Partial<ValidatorKeys> = {}): ValidatorKeys => ({
  attesters: [attester],
  publishers: undefined,
  coinbase: undefined,
  feeRecipient: FEES,
  ...more,
});

/** An ActiveKeystore whose next reload loads `next`. */
function active(
  initial: Keystore,
  next: Keystore | Error,
  publishers: string[] | undefined = initial.publisherAddresses(),
) {
  const state = { next };
  const load = async (): Promise<Keystore> => {
    if (state.next instanceof Error) throw state.next;
    return state.next;
  };
  return { state, store: new ActiveKeystore(initial, load, publishers, unexpected) };
}

test("a reload replaces attesters, coinbase, fee recipient and the publishers of each attester", async () => {
  const initial = new Keystore({ validators: [keys(A, { publishers: [P] })] });
  const feeRecipient = `0x${"0c".repeat(32)}`;
  const coinbase = `0x${"0d".repeat(20)}`;
  const { store } = active(
    initial,
    new Keystore({ validators: [keys(B, { publishers: [Q, P], coinbase, feeRecipient })] }),
  );
  const told: Keystore[] = [];
  store.onReload((keystore) => void told.push(keystore));
  await store.reload();
  expect(store.current.attesterAddresses()).toEqual([B.address]);
  expect(store.current.coinbaseOf(B.address)).toBe(coinbase);
  expect(store.current.feeRecipientOf(B.address)).toBe(feeRecipient);
  expect(store.current.publishersOf(B.address)).toEqual([Q, P]);
  expect(told).toEqual([store.current]);
});

test("a reload keeps the prover's keys of the start", async () => {
  const prover = { id: A.address, publishers: [P] };
  const { store } = active(
    new Keystore({ validators: [keys(A)], prover }),
    new Keystore({ validators: [keys(B)], prover: { id: B.address, publishers: [Q] } }),
  );
  await store.reload();
  expect(store.current.prover).toEqual(prover);
});

test("a reload is refused without changes if all publishers of a validator were unknown at startup", async () => {
  const initial = new Keystore({ validators: [keys(A, { publishers: [P] })] });
  const { store, state } = active(
    initial,
    new Keystore({ validators: [keys(A, { publishers: [P] }), keys(B, { publishers: [Q] })] }),
  );
  const told: Keystore[] = [];
  store.onReload((keystore) => void told.push(keystore));
  await expect(store.reload()).rejects.toThrow(
    `Cannot reload keystore: validator ${B.address} has publisher keys [${Q.address}] but none match the L1 signers initialized at ` +
      `startup [${P.address}]. Publishers cannot be hot-reloaded — use an existing publisher key or restart the node.`,
  );
  expect(store.current).toBe(initial);
  expect(told).toEqual([]);
  state.next = new Keystore({ validators: [keys(A, { publishers: [P] }), keys(B)] });
  await store.reload();
  expect(store.current.publishersOf(B.address)).toEqual([B]);
});

test("a reload accepts any publisher when the node has no sequencer", async () => {
  const initial = new Keystore({ validators: [keys(A)] });
  const next = new Keystore({ validators: [keys(B, { publishers: [Q] })] });
  const store = new ActiveKeystore(initial, async () => next, undefined, unexpected);
  await store.reload();
  expect(store.current.attesterAddresses()).toEqual([B.address]);
});

test("unusable keystore files leave the keys in force, and the next reload may succeed", async () => {
  const initial = new Keystore({ validators: [keys(A)] });
  const { store, state } = active(
    initial,
    new KeystoreError([{ file: "a.json", field: "validators[0].attester", rule: "is required" }]),
  );
  await expect(store.reload()).rejects.toThrow("a.json: validators[0].attester is required");
  expect(store.current).toBe(initial);
  state.next = new Keystore({ validators: [] });
  await expect(store.reload()).rejects.toThrow("validators must not be empty");
  state.next = new Keystore({ validators: [keys(B)] });
  await store.reload();
  expect(store.current.attesterAddresses()).toEqual([B.address]);
});

test("a reload tells which attesters came and went, and which cannot publish", async () => {
  const initial = new Keystore({ validators: [keys(A, { publishers: [P] }), keys(Q)] });
  const { store } = active(initial, new Keystore({ validators: [keys(A, { publishers: [P] }), keys(B)] }));
  expect(await store.reload()).toEqual({ added: [B.address], removed: [Q.address], withoutSender: [B.address] });
  const logged: [object, string][] = [];
  const note = (facts: object, message: string) => void logged.push([facts, message]);
  const logger = { ...silentLogger, info: note, warn: note };
  await keystoreControl({ directory: "/keys", keys: store, logger }).reload();
  expect(logged).toEqual([
    [{ added: "", removed: "" }, "the keystore files were read again"],
    [{ attesters: B.address }, expect.stringMatching(/cannot publish.*restart/)],
  ]);
});

test("reloads that overlap run one after the other, and each loads the files anew", async () => {
  const states = [A, B, P].map((attester) => new Keystore({ validators: [keys(attester)] }));
  const initial = new Keystore({ validators: [keys(Q)] });
  let loading = 0;
  const load = async (): Promise<Keystore> => {
    expect(++loading).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    loading--;
    return states.shift() as Keystore;
  };
  const store = new ActiveKeystore(initial, load, undefined, unexpected);
  const changes = await Promise.all([store.reload(), store.reload(), store.reload()]);
  expect(changes.map(({ added, removed }) => [added, removed])).toEqual([
    [[A.address], [Q.address]],
    [[B.address], [A.address]],
    [[P.address], [B.address]],
  ]);
});

test("the admin call to reload needs keystore files and a validator", async () => {
  const { store } = active(new Keystore({ validators: [keys(A)] }), new Keystore({ validators: [keys(B)] }));
  await expect(keystoreControl({ directory: undefined, keys: store, logger: silentLogger }).reload()).rejects.toThrow(
    "Cannot reload keystore: node is not using a file-based keystore. Set KEY_STORE_DIRECTORY to use file-based keystores.",
  );
  await expect(keystoreControl({ directory: "/keys", keys: undefined, logger: silentLogger }).reload()).rejects.toThrow(
    "Cannot reload keystore: validator is not enabled.",
  );
  await keystoreControl({ directory: "/keys", keys: store, logger: silentLogger }).reload();
  expect(store.current.attesterAddresses()).toEqual([B.address]);
});
