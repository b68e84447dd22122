import type { Schema } from '../../api/client.js';
import { counted, formatChange, formatNumber } from './counted.js';

type Brief = Schema<'ReviewBrief'>;

const atLeast = (isComplete: boolean): string => (isComplete ? '' : 'at least ');

type ScanKind = Schema<'ScanChange'>['lost'][number];

const SCANS = { sast_scan: 'code scan', security: 'security scan' } satisfies Record<ScanKind, string>;

/** Texts of what a reviewer must know about a release. */
export const text = {
  failed: 'What changed could not be loaded.',
  changes: 'Changes',
  firstRelease: 'No release of this repository was shipped before.',
  notCompared: 'Shipgate has not compared the commits.',
  changed: ({ commits, commitsComplete, files, filesComplete }: Schema<'CodeChanges'>) =>
    `${atLeast(commitsComplete)}${counted(commits, 'commit', 'commits')}, ${atLeast(filesComplete)}${counted(files, 'file', 'files')}`,
  compare: (version: string) => `Compare with ${version} on GitHub`,
  issues: 'Issues',
  issueCounts: (open: number, closed: number) =>
    open + closed === 0 ? 'None' : `${formatNumber(closed)} closed, ${formatNumber(open)} open`,
  issue: (number: number, title: string) => `#${number} ${title}`,
  notCurrent: 'Not current',
  tests: 'Tests',
  noTests: 'No test evidence',
  counts: ({ passed, failed, skipped }: Schema<'TestCounts'>) =>
    `${formatNumber(passed)} passed, ${formatNumber(failed)} failed, ${formatNumber(skipped)} skipped`,
  before: (counts: Schema<'TestCounts'>) =>
    `(before: ${formatNumber(counts.passed)} passed, ${formatNumber(counts.failed)} failed, ${formatNumber(counts.skipped)} skipped)`,
  comparison: {
    known: null,
    pending: 'The tests are being compared by name.',
    unknown: 'The tests cannot be compared by name.',
  } satisfies Record<Brief['tests']['comparison'], string | null>,
  noNamesBefore: 'The release before has no test names, so the tests cannot be compared.',
  sameTests: 'There is no new failure, no fixed test and no lost test.',
  newFailures: (count: number) => counted(count, 'new failure', 'new failures'),
  fixedTests: (count: number) => counted(count, 'fixed test', 'fixed tests'),
  lostTests: (count: number) => counted(count, 'lost test', 'lost tests'),
  flakyTests: (count: number) => counted(count, 'flaky test', 'flaky tests'),
  more: (count: number) => `and ${formatNumber(count)} more`,
  quality: 'Score',
  noScore: 'Nothing was measured.',
  score: (score: number, grade: string | null) =>
    grade === null ? `${formatNumber(score)} of 100` : `${formatNumber(score)} of 100, grade ${grade}`,
  points: (points: number) => (points === 0 ? '(the same as before)' : `(${formatChange(points)} points)`),
  percentagePoints: (points: number) =>
    points === 0 ? '(the same as before)' : `(${formatChange(points)} percentage points)`,
  findings: 'New findings',
  noScans: 'Not known: there is no scan of both releases.',
  noNewFinding: 'None, in the kinds of scan that both releases have',
  newFindings: (count: number) => counted(count, 'new finding', 'new findings'),
  lostScan: (kind: ScanKind, version: string) => `No ${SCANS[kind]} this time; ${version} had one`,
  addedScan: (kind: ScanKind, version: string) => `The ${SCANS[kind]} is new: ${version} had none.`,
  unidentified: (count: number) => `${counted(count, 'finding', 'findings')} cannot be compared.`,
  waived: 'Waived',
  nothingWaived: 'Nothing',
  ownReview: 'Your last review',
  noReview: 'You have not reviewed it.',
} as const;
