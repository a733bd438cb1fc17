import { type Fr, fr } from "../../../../src/protocol/field.ts";
import type { Argument } from "./artifact.ts";

/** Accounts that call the contracts. */
export const ALICE: Fr = fr(0xa11ce);
export const BOB: Fr = fr(0xb0b);

/** The contract with a label, as an argument. */
interface Labelled {
  readonly contract: string;
}
export type PlannedArgument = Argument | Labelled | readonly PlannedArgument[];

interface PlannedCall {
  readonly call: string;
  readonly args: readonly PlannedArgument[];
  /** Without it Alice, or the contract itself where no other may call. */
  readonly sender?: Fr | Labelled;
  /** Label of another contract that is called. */
  readonly on?: string;
  /** Whether it is made in teardown, where the fee is known. */
  readonly isTeardown?: boolean;
}

/** A contract, what deploys it and what calls it in order. Functions that are not named are called with any values. */
export interface ContractUse {
  readonly label: string;
  readonly artifact: string;
  /** Arguments of the function that initializes it. */
  readonly initialize?: readonly PlannedArgument[];
  readonly calls?: readonly PlannedCall[];
  /** What its users made in private: notes of other contracts that it will complete. */
  readonly partialNotes?: readonly { readonly of: string; readonly commitment: Fr; readonly completer: string | Fr }[];
}

const at = (contract: string): Labelled => ({ contract });
const call = (name: string, ...args: PlannedArgument[]): PlannedCall => ({ call: name, args });

const TOKEN = (name: string): readonly PlannedArgument[] => [ALICE, name, "TOK", 18];
const NOTES = Array.from({ length: 24 }, (_, i) => fr(0x9000 + i));
const AMM_CONFIG = [at("token"), at("other token"), at("liquidity token")];

/** Each after those that it names. */
export const USES: readonly ContractUse[] = [
  {
    label: "token",
    artifact: "Token",
    initialize: TOKEN("A token"),
    partialNotes: [
      { of: "token", commitment: NOTES[0], completer: ALICE },
      { of: "token", commitment: NOTES[1], completer: ALICE },
      { of: "token", commitment: NOTES[2], completer: ALICE },
      { of: "token", commitment: NOTES[3], completer: ALICE },
    ],
    calls: [
      call("mint_to_public", ALICE, 1_000_000),
      call("transfer_in_public", ALICE, BOB, 10, 0),
      { ...call("transfer_in_public", BOB, ALICE, 11, 0), sender: BOB },
      call("transfer_in_public", BOB, ALICE, 1, 5),
      call("burn_public", ALICE, 5, 0),
      call("finalize_transfer_to_private", 7, NOTES[0]),
      call("finalize_mint_to_private", 8, NOTES[1]),
      call("_finalize_transfer_to_private_unsafe", ALICE, 7, NOTES[2]),
      call("_finalize_mint_to_private_unsafe", ALICE, 8, NOTES[3]),
      call("balance_of_public", BOB),
      { ...call("set_minter", BOB, true), sender: BOB },
    ],
  },
  {
    label: "other token",
    artifact: "Token",
    initialize: TOKEN("Another"),
    calls: [call("mint_to_public", ALICE, 5000)],
  },
  {
    label: "liquidity token",
    artifact: "Token",
    initialize: TOKEN("Liquidity"),
    calls: [call("mint_to_public", ALICE, 1), call("_reduce_total_supply", 1)],
  },
  {
    label: "AMM",
    artifact: "AMM",
    initialize: AMM_CONFIG,
    partialNotes: [
      { of: "token", commitment: NOTES[4], completer: "AMM" },
      { of: "other token", commitment: NOTES[5], completer: "AMM" },
      { of: "liquidity token", commitment: NOTES[6], completer: "AMM" },
      { of: "other token", commitment: NOTES[7], completer: "AMM" },
      { of: "token", commitment: NOTES[8], completer: "AMM" },
      { of: "other token", commitment: NOTES[9], completer: "AMM" },
    ],
    calls: [
      { ...call("mint_to_public", at("AMM"), 100_000), on: "token" },
      { ...call("mint_to_public", at("AMM"), 100_000), on: "other token" },
      { ...call("set_minter", at("AMM"), true), on: "liquidity token" },
      call("_add_liquidity", AMM_CONFIG, NOTES[4], NOTES[5], NOTES[6], 2000, 3000, 1, 1),
      call("_swap_exact_tokens_for_tokens", at("token"), at("other token"), 100, 1, NOTES[7]),
      call("_swap_tokens_for_exact_tokens", at("token"), at("other token"), 500, 20, NOTES[8], NOTES[9]),
      { ...call("mint_to_public", at("AMM"), 100), on: "liquidity token" },
      call("_remove_liquidity", AMM_CONFIG, 100, NOTES[4], NOTES[5], 1, 1),
      call("_add_liquidity", AMM_CONFIG, NOTES[4], NOTES[5], NOTES[6], 2000, 3000, 4000, 1),
    ],
  },
  {
    label: "AppSubscription",
    artifact: "AppSubscription",
    initialize: [ALICE, BOB, at("token"), 10, 1000],
  },
  {
    label: "Auth",
    artifact: "Auth",
    initialize: [ALICE],
    calls: [
      call("set_authorized_delay", 7200),
      call("set_authorized", BOB),
      { ...call("set_authorized", BOB), sender: BOB },
    ],
  },
  {
    label: "AuthRegistry",
    artifact: "AuthRegistry",
    calls: [call("set_authorized", 77, true), call("is_consumable", ALICE, 77), call("set_reject_all", false)],
  },
  {
    label: "CardGame",
    artifact: "CardGame",
    calls: [
      call("on_game_joined", 1, ALICE, 30),
      call("on_game_joined", 1, BOB, 30),
      call("start_game", 1),
      call("on_card_played", 1, ALICE, 5),
      call("on_card_played", 1, BOB, 6),
    ],
  },
  { label: "Claim", artifact: "Claim", initialize: [ALICE, at("token")] },
  { label: "Crowdfunding", artifact: "Crowdfunding", initialize: [at("token"), ALICE, 2 ** 40] },
  {
    label: "FeeJuice",
    artifact: "FeeJuice",
    calls: [call("_increase_public_balance", ALICE, 5), call("check_balance", 0), call("balance_of_public", ALICE)],
  },
  {
    label: "FPC",
    artifact: "FPC",
    initialize: [at("token"), ALICE],
    partialNotes: [{ of: "token", commitment: NOTES[16], completer: "FPC" }],
    calls: [
      { ...call("mint_to_public", at("FPC"), 10 ** 12), on: "token" },
      { ...call("_complete_refund", at("token"), NOTES[16], 10 ** 10), isTeardown: true },
      { ...call("_pay_refund", ALICE, 10 ** 10, at("token")), isTeardown: true },
      call("pull_funds", BOB),
    ],
  },
  {
    label: "ContractInstanceRegistry",
    artifact: "ContractInstanceRegistry",
    calls: [
      { ...call("set_update_delay", 86_400), sender: at("token") },
      { ...call("get_update_delay"), sender: at("token") },
      { ...call("update", at("class of AMM")), sender: at("liquidity token") },
      call("set_update_delay", 1),
    ],
  },
  { label: "PriceFeed", artifact: "PriceFeed", calls: [call("set_price", 0, 10), call("get_price", 0)] },
  {
    label: "Lending",
    artifact: "Lending",
    calls: [
      { ...call("__emit_public_init_nullifier"), sender: at("Lending") },
      call("init", at("PriceFeed"), 8_000, at("token"), at("other token")),
      { ...call("mint_to_public", at("Lending"), 1000), on: "token" },
      { ...call("mint_to_public", at("Lending"), 1000), on: "other token" },
      { ...call("set_minter", at("Lending"), true), on: "other token" },
      call("get_asset", 0),
      call("update_accumulator"),
      call("_deposit", ALICE, 500, at("token")),
      call("_borrow", ALICE, ALICE, 10),
      call("_repay", ALICE, 5, at("other token")),
      call("borrow_public", ALICE, 2),
      call("withdraw_public", ALICE, 3),
      call("_withdraw", ALICE, BOB, 4),
    ],
  },
  {
    label: "NFT",
    artifact: "NFT",
    initialize: [ALICE, "An NFT", "NFT"],
    partialNotes: [
      { of: "NFT", commitment: NOTES[10], completer: ALICE },
      { of: "NFT", commitment: NOTES[11], completer: ALICE },
    ],
    calls: [
      call("mint", ALICE, 7),
      call("mint", ALICE, 8),
      call("mint", ALICE, 9),
      call("mint", ALICE, 7),
      call("owner_of", 7),
      call("transfer_in_public", ALICE, BOB, 7, 0),
      call("transfer_in_public", ALICE, BOB, 7, 0),
      call("finalize_transfer_to_private", 8, NOTES[10]),
      call("_finalize_transfer_to_private_unsafe", ALICE, 9, NOTES[11]),
      call("_finish_transfer_to_public", ALICE, 8),
    ],
  },
  {
    label: "Orderbook",
    artifact: "Orderbook",
    initialize: [at("token"), at("other token")],
    partialNotes: [
      { of: "other token", commitment: NOTES[12], completer: "Orderbook" },
      { of: "token", commitment: NOTES[13], completer: "Orderbook" },
    ],
    calls: [
      { ...call("mint_to_public", at("Orderbook"), 100), on: "token" },
      { ...call("mint_to_public", at("Orderbook"), 100), on: "other token" },
      call("_create_order", NOTES[12], [5, 6, true]),
      call("_fulfill_order", NOTES[12], NOTES[13], at("token"), 5),
    ],
  },
  {
    label: "PrivateVoting",
    artifact: "PrivateVoting",
    initialize: [ALICE],
    calls: [
      call("start_vote", 5),
      call("add_to_tally_public", 5, 1),
      call("get_tally", 5, 1),
      call("end_vote", 5),
      call("add_to_tally_public", 5, 1),
    ],
  },
  {
    label: "PublicChecks",
    artifact: "PublicChecks",
    calls: [
      call("check_block_number", 3, 1_000_000),
      call("check_block_number", 1, 1_000_000),
      call("check_timestamp", 5, 1_000_000),
      call("check_timestamp", 3, 1_000_000),
    ],
  },
  {
    label: "SimpleToken",
    artifact: "SimpleToken",
    initialize: ["A simple token", "ST", 6],
    partialNotes: [
      { of: "SimpleToken", commitment: NOTES[14], completer: ALICE },
      { of: "SimpleToken", commitment: NOTES[15], completer: ALICE },
      { of: "SimpleToken", commitment: NOTES[17], completer: ALICE },
      { of: "SimpleToken", commitment: NOTES[18], completer: ALICE },
    ],
    calls: [
      call("mint_publicly", ALICE, 1000),
      call("public_transfer", ALICE, BOB, 10, 0),
      call("burn_public", ALICE, 5, 0),
      call("finalize_transfer_to_private", 7, NOTES[14]),
      call("finalize_mint_to_private", 8, NOTES[15]),
      call("_finalize_transfer_to_private_unsafe", ALICE, 7, NOTES[17]),
      call("_finalize_mint_to_private_unsafe", ALICE, 8, NOTES[18]),
    ],
  },
  { label: "TokenBlacklist", artifact: "TokenBlacklist", initialize: [ALICE], calls: [call("get_roles", ALICE)] },
  {
    label: "TokenBridge",
    artifact: "TokenBridge",
    initialize: [at("token"), 0x1234],
    calls: [call("exit_to_l1_public", 0x1234, 1, 0x5678, 0)],
  },
  { label: "Uniswap", artifact: "Uniswap", initialize: [0x1234] },
];
