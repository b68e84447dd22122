import { SCAN_KINDS, type ScanKind } from '../evidence/evidence.js';
import type { Scan } from './new-findings.js';

/** The kinds of scans that only one of two releases has. */
export interface ScanChange {
  /** Those that the earlier release has and the present one lacks, so that new findings of the kind would not be seen. */
  readonly lost: readonly ScanKind[];
  /** Those that the earlier release lacks, so that its findings of the kind are not known. */
  readonly added: readonly ScanKind[];
}

/** Compares the kinds of scans with those of an earlier release. */
export function compareScanKinds(
  now: readonly Pick<Scan, 'kind'>[],
  before: readonly Pick<Scan, 'kind'>[],
): ScanChange {
  const [present, past] = [now, before].map((scans) => new Set(scans.map(({ kind }) => kind)));
  return {
    lost: SCAN_KINDS.filter((kind) => past?.has(kind) && !present?.has(kind)),
    added: SCAN_KINDS.filter((kind) => present?.has(kind) && !past?.has(kind)),
  };
}
