import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../evidence/evidence.js';
import { findNewFindings, type Scan } from './new-findings.js';

const NONE = { critical: 0, high: 0, medium: 0, low: 0 };
const finding = (id: string, severity: Finding['severity'], count = 1): Finding => ({ id, label: id, severity, count });
const scan = (kind: Scan['kind'], findings: readonly Finding[], counts: Partial<Scan['counts']> = {}): Scan => ({
  kind,
  counts: { ...NONE, ...counts },
  findings,
});

describe('findNewFindings', () => {
  it.each<[string, readonly Scan[], readonly Scan[], unknown]>([
    ['nothing without a scan', [], [scan('security', [])], null],
    ['nothing for another kind of scan', [scan('sast_scan', [finding('a', 'low')])], [scan('security', [])], null],
    [
      'no new finding',
      [scan('security', [finding('a', 'low')], { low: 1 })],
      [scan('security', [finding('a', 'low')])],
      { count: 0, findings: [], unidentified: 0 },
    ],
    [
      'new findings, worst first, and more of a known one',
      [scan('security', [finding('a', 'low', 3), finding('b', 'critical')], { low: 3, critical: 1 })],
      [scan('security', [finding('a', 'low')])],
      { count: 3, findings: [finding('b', 'critical'), finding('a', 'low', 2)], unidentified: 0 },
    ],
    [
      'findings of several scans together',
      [scan('security', [finding('a', 'low')], { low: 1 }), scan('security', [finding('a', 'low')], { low: 1 })],
      [scan('security', [finding('a', 'low', 2)])],
      { count: 0, findings: [], unidentified: 0 },
    ],
    [
      'how many have no identity',
      [scan('sast_scan', [], { high: 2, low: 1 })],
      [scan('sast_scan', [])],
      { count: 0, findings: [], unidentified: 3 },
    ],
    [
      'nothing new in a kind of which earlier findings have no identity',
      [scan('security', [finding('a', 'high', 3)], { high: 3 }), scan('sast_scan', [finding('b', 'low')], { low: 1 })],
      [scan('security', [finding('c', 'high', 2)], { high: 3 }), scan('sast_scan', [])],
      { count: 1, findings: [finding('b', 'low')], unidentified: 3 },
    ],
  ])('finds %s', (_, now, before, expected) => {
    expect(findNewFindings(now, before)).toEqual(expected);
  });
});
