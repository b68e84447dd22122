import { type EvidenceKind, SCAN_KINDS, type ScanKind } from '../evidence/evidence.js';

/** The kinds of scans that only one of two releases has. */
export interface ScanChange {
  /** Those that the earlier release has and the present one lacks, so that new findings of the kind would not be seen. */
  readonly lost: readonly ScanKind[];
  /** Those that the earlier release lacks, so that its findings of the kind are not known. */
  readonly added: readonly ScanKind[];
}

/** Compares the kinds of evidence with those of an earlier release. A scan without counts is a scan, too. */
export const compareScanKinds = (now: readonly EvidenceKind[], before: readonly EvidenceKind[]): ScanChange => ({
  lost: SCAN_KINDS.filter((kind) => before.includes(kind) && !now.includes(kind)),
  added: SCAN_KINDS.filter((kind) => now.includes(kind) && !before.includes(kind)),
});
