import type { QualityResultDto, ReleaseGroupDto } from '../../src/features/quality/quality.dto.js';

const RESULT: Readonly<QualityResultDto> = {
  evidenceId: '00000000-0000-4000-8000-0000000000e1',
  type: 'unit_tests',
  environment: 'staging',
  pipeline: 'build and test',
  commitSha: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392',
  metrics: { unit_tests: { total: 142, passed: 140, failed: 1, skipped: 1, flaky: 2 } },
  status: 'failed',
  decides: true,
  createdAt: new Date('2026-11-20T09:30:00Z'),
};

const GROUP: Readonly<ReleaseGroupDto> = {
  milestoneId: '00000000-0000-4000-8000-0000000000a1',
  org: 'acme',
  repoId: '00000000-0000-4000-8000-0000000000b1',
  repo: 'payments',
  version: 'v1.4.0',
  stage: 'TESTING',
  scorecard: {
    score: 69.9,
    grade: 'D',
    categories: [
      { name: 'tests', weight: 40, score: 98.5, status: 'failed', detail: '140 of 142 tests passed.' },
      { name: 'coverage', weight: 25, score: null, status: 'incomplete', detail: 'Nothing measured it.' },
      { name: 'sast', weight: 15, score: 90, status: 'passed', detail: '2 medium findings.' },
      { name: 'vulnerabilities', weight: 15, score: 100, status: 'passed', detail: 'No findings.' },
      { name: 'completeness', weight: 5, score: 100, status: 'passed', detail: 'All that is required is there.' },
    ],
    incomplete: ['coverage'],
    caps: [{ grade: 'D', reason: '1 test of "build and test" fails.' }],
  },
  change: {
    against: { milestoneId: '00000000-0000-4000-8000-0000000000a0', version: 'v1.3.0' },
    score: -2.5,
    coverage: 0.256,
    tests: {
      newFailures: { count: 1, names: ['pays › twice'] },
      fixedTests: { count: 0, names: [] },
      lostTests: { count: 25, names: ['pays › once'] },
    },
  },
  flaky: { count: 2, names: ['refunds', 'retries'], rate: 0.0141 },
  comparison: 'known',
  results: [RESULT],
  moreResults: 0,
};

/** An evidence item. Each test names only what matters to it. */
export const givenResult = (result: Partial<QualityResultDto> = {}): QualityResultDto => ({ ...RESULT, ...result });

/** A release with its evidence. Each test names only what matters to it. */
export const givenGroup = (group: Partial<ReleaseGroupDto> = {}): Readonly<ReleaseGroupDto> => ({ ...GROUP, ...group });

/** The groups as the database returns them. */
export async function* streamOf(...groups: readonly ReleaseGroupDto[]): AsyncGenerator<ReleaseGroupDto> {
  yield* groups;
}
