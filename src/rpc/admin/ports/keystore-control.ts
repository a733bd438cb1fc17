export interface KeystoreControl {
  /** Rejects, with the keys in force unchanged, when the files cannot take their place. */
  reload(): Promise<void>;
}
