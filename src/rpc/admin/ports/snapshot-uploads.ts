export interface SnapshotUploads {
  /** Begins an upload in the background. Throws when none can begin; what fails later is logged. */
  startUpload(location: string): void;
}
