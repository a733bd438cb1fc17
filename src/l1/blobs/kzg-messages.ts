/** What a thread computes with: the library, which loads its trusted setup first, or our own points of the setup. */
export type KzgPart = "library" | "points";

export type KzgRequest =
  | { kind: "load"; part: KzgPart }
  | { kind: "check"; blobs: Uint8Array[]; commitments: Uint8Array[] }
  | { kind: "commit"; blob: Uint8Array }
  | { kind: "prove"; blob: Uint8Array; commitment: Uint8Array; cells: boolean }
  | { kind: "open"; blob: Uint8Array; z: Uint8Array };

export type KzgAnswer =
  | { loaded: KzgPart }
  | { results: boolean[] }
  | { commitment: Uint8Array }
  | { proofs: Uint8Array[] }
  | { y: Uint8Array; proof: Uint8Array }
  | { failure: string };

export interface KzgReply {
  answer: KzgAnswer;
  /** Commitments and proofs that our own points took two to three times as long for as the library would have. */
  byPoints: number;
}

/** What a thread with the library sends once it has loaded it, before any reply. */
export const LIBRARY_IS_READY = "library is ready";
