import { describe, expect, it } from '@jest/globals';
import type { EvidenceKind, ScanKind } from '../evidence/evidence.js';
import { compareScanKinds } from './scan-change.js';

describe('compareScanKinds', () => {
  it.each<[string, readonly EvidenceKind[], readonly EvidenceKind[], readonly ScanKind[], readonly ScanKind[]]>([
    ['nothing without scans', [], [], [], []],
    ['nothing for the same kinds in another order', ['security', 'sast_scan'], ['sast_scan', 'security'], [], []],
    ['nothing for a different number of scans of one kind', ['security'], ['security', 'security'], [], []],
    ['nothing for other kinds', ['unit_tests'], ['coverage'], [], []],
    ['a lost kind', ['sast_scan'], ['security', 'sast_scan'], ['security'], []],
    ['all kinds as lost without a scan', [], ['security', 'sast_scan'], ['sast_scan', 'security'], []],
    ['an added kind', ['security', 'sast_scan'], ['sast_scan'], [], ['security']],
    ['a kind in place of another as both', ['sast_scan'], ['security'], ['security'], ['sast_scan']],
  ])('finds %s', (_, now, before, lost, added) => {
    expect(compareScanKinds(now, before)).toEqual({ lost, added });
  });
});
