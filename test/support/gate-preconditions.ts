import { FACT_LIFETIME_MS, type FactKind } from '../../src/domain/facts/facts.js';
import {
  CANDIDATE,
  FIRST_REVIEWER,
  PREDECESSOR,
  PULL_NUMBER,
  SECOND_REVIEWER,
  STRICT_POLICY,
  VERSION,
  check,
  comparison,
  coverageItem,
  issue,
  milestone,
  evidenceItem,
  pull,
  failingItem,
  review,
  scanItem,
  sha,
  valid,
} from './given-facts.js';
import { type ReleaseBuilder } from './release-builder.js';

/**
 * Each precondition of an open gate under the strict policy, and every way in which it can fail. This code does not use
 * the rules of the service: a test that breaks a precondition expects that the gate closes.
 */
interface GatePrecondition {
  readonly name: string;
  readonly ways: Readonly<Record<string, (release: ReleaseBuilder) => void>>;
}

const number = String(PULL_NUMBER);
const since = `${PREDECESSOR}...${CANDIDATE}`;

/** A fact that may be missing, may have a failing value, and may be too old if it expires. */
const fact = (kind: FactKind, key: string, red: GatePrecondition['ways']): GatePrecondition => ({
  name: `${kind} ${key}`,
  ways: {
    missing: (release) => release.deleteFact(kind, key),
    ...(Number.isFinite(FACT_LIFETIME_MS[kind])
      ? { stale: (release: ReleaseBuilder) => release.age(kind, key, FACT_LIFETIME_MS[kind] / 60_000) }
      : {}),
    ...red,
  },
});

const without = (kind: string) => (release: ReleaseBuilder) => {
  release.evidence = release.evidence.filter((upload) => upload.kind !== kind);
};
const only = (kind: string, upload: ReturnType<typeof evidenceItem>) => (release: ReleaseBuilder) => {
  without(kind)(release);
  release.uploaded(upload);
};

export const GATE_PRECONDITIONS: readonly GatePrecondition[] = [
  fact('policy', '', {
    absent: (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    invalid: (release) => release.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    frozen: (release) =>
      release.know(
        'policy',
        '',
        valid({ ...STRICT_POLICY, freezes: [{ from: '2026-05-04', to: '2026-05-04', reason: '' }] }),
      ),
  }),
  fact('milestone', '5', {
    deleted: (release) => release.know('milestone', '5', null),
    'made again': (release) => release.know('milestone', '5', milestone({ githubId: 502 })),
    renamed: (release) => release.know('milestone', '5', milestone({ title: `${VERSION}-rc.1` })),
  }),
  fact('issues', '5', {
    open: (release) => release.know('issues', '5', [issue(), issue({ number: 12, state: 'open' })]),
    none: (release) => release.know('issues', '5', []),
  }),
  fact('refs', 'release/', {
    moved: (release) => release.know('refs', 'release/', [{ branch: `release/${VERSION}`, sha: sha('b') }]),
    gone: (release) => release.know('refs', 'release/', []),
    'of another version': (release) =>
      release.know('refs', 'release/', [{ branch: `release/${VERSION}.1`, sha: CANDIDATE }]),
  }),
  fact('refs', 'hotfix/', {
    second: (release) => release.know('refs', 'hotfix/', [{ branch: `hotfix/${VERSION}`, sha: sha('b') }]),
  }),
  fact('refs', 'main', {}),
  fact('checks', CANDIDATE, {
    failed: (release) => release.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'failure' })]),
    pending: (release) => release.know('checks', CANDIDATE, [check('build', { state: 'pending' }), check('e2e')]),
    skipped: (release) => release.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'skipped' })]),
    unreported: (release) => release.know('checks', CANDIDATE, [check('e2e')]),
    'of another app': (release) => release.know('checks', CANDIDATE, [check('build'), check('e2e', { app: 'other' })]),
  }),
  fact('comparison', since, {
    'written by a reviewer': (release) =>
      release.know(
        'comparison',
        since,
        comparison(PREDECESSOR, {
          commits: [{ sha: CANDIDATE, parents: [], authorId: 1, committerId: 1, coAuthors: [] }],
        }),
      ),
    'cut short': (release) => release.know('comparison', since, comparison(PREDECESSOR, { commitsComplete: false })),
  }),
  fact('pull', number, {
    gone: (release) => release.know('pull', number, null),
    closed: (release) => release.know('pull', number, pull({ state: 'closed' })),
    pushed: (release) => release.know('pull', number, pull({ headSha: sha('4') })),
    retargeted: (release) => release.know('pull', number, pull({ baseRef: 'elsewhere' })),
  }),
  fact('reviews', number, {
    none: (release) => release.know('reviews', number, []),
    one: (release) => release.know('reviews', number, [review(FIRST_REVIEWER)]),
    objection: (release) =>
      release.know('reviews', number, [
        review(FIRST_REVIEWER),
        review(SECOND_REVIEWER, { state: 'changes_requested' }),
      ]),
    'of an old head': (release) =>
      release.know('reviews', number, [review(FIRST_REVIEWER), review(SECOND_REVIEWER, { commitSha: sha('4') })]),
  }),
  fact('permission', FIRST_REVIEWER.login, {
    read: (release) => release.know('permission', FIRST_REVIEWER.login, { userId: 1, level: 'read' }),
    'of another account': (release) => release.know('permission', FIRST_REVIEWER.login, { userId: 77, level: 'admin' }),
  }),
  fact('permission', SECOND_REVIEWER.login, {
    none: (release) => release.know('permission', SECOND_REVIEWER.login, { userId: null, level: 'none' }),
  }),
  fact('team', 'release-managers', {
    left: (release) => release.know('team', 'release-managers', { exists: true, userIds: [1, 9] }),
    gone: (release) => release.know('team', 'release-managers', { exists: false, userIds: [] }),
  }),
  {
    name: 'tests',
    ways: {
      missing: without('unit_tests'),
      red: only('unit_tests', failingItem()),
      few: only(
        'unit_tests',
        evidenceItem({ metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } } }),
      ),
      elsewhere: only('unit_tests', evidenceItem({ environment: 'ci' })),
      'of another commit': only('unit_tests', evidenceItem({ commitSha: sha('b') })),
      shard: (release) => release.uploaded(failingItem({ id: 'shard' })),
    },
  },
  {
    name: 'coverage',
    ways: {
      missing: without('coverage'),
      low: only('coverage', coverageItem(79)),
      dropped: only('coverage', coverageItem(83.9)),
      unmeasured: only('coverage', coverageItem(null)),
    },
  },
  {
    name: 'sast_scan',
    ways: {
      missing: without('sast_scan'),
      critical: only('sast_scan', scanItem('sast_scan', { critical: 1 })),
      uncounted: only('sast_scan', scanItem('sast_scan', { critical: Number.NaN })),
    },
  },
  {
    name: 'security',
    ways: {
      missing: without('security'),
      high: only('security', scanItem('security', { high: 1 })),
      failed: only('security', scanItem('security', {}, { failures: ['cut short'] })),
    },
  },
  {
    name: 'the record',
    ways: {
      removed: (release) => release.recorded({ repository: { ...release.record.repository, removed: true } }),
      'beyond the plan': (release) =>
        release.recorded({ repository: { ...release.record.repository, withinPlan: false } }),
      'tampered with': (release) =>
        release.recorded({ repository: { ...release.record.repository, tamperedBranches: [`release/${VERSION}`] } }),
      deleted: (release) => release.recorded({ deletedAt: new Date(0) }),
      'without its pull request': (release) => release.recorded({ evidencePull: null }),
      'with another set': (release) =>
        release.recorded({
          evidencePull: release.record.evidencePull && { ...release.record.evidencePull, setDigest: 'other' },
        }),
    },
  },
];

/** Every single failure of a precondition. */
export const FAILURE_CASES = GATE_PRECONDITIONS.flatMap(({ name, ways }) =>
  Object.entries(ways).map(([way, spoil]) => ({ pillar: name, name: `${name}: ${way}`, spoil })),
);
