import { FACT_LIFETIME_MS, type CheckFact, type FactKind } from '../../src/domain/facts/facts.js';
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
  coveragePiece,
  issue,
  milestone,
  piece,
  pull,
  redPiece,
  review,
  scanPiece,
  sha,
  valid,
} from './given-facts.js';
import { type ReleaseBuilder } from './given-release.js';

/**
 * Each thing that the gate of the strict world rests on, and every way in which it may fail to be so. Nothing here asks
 * the rules: whoever turns a world bad knows that it is bad.
 */
interface Pillar {
  readonly name: string;
  readonly ways: Readonly<Record<string, (world: ReleaseBuilder) => void>>;
}

const number = String(PULL_NUMBER);
const since = `${PREDECESSOR}...${CANDIDATE}`;

/** A fact that may be missing, as it may be red; and too old, where it can be. */
const fact = (kind: FactKind, key: string, red: Pillar['ways']): Pillar => ({
  name: `${kind} ${key}`,
  ways: {
    missing: (world) => world.forget(kind, key),
    ...(Number.isFinite(FACT_LIFETIME_MS[kind])
      ? { stale: (world: ReleaseBuilder) => world.age(kind, key, FACT_LIFETIME_MS[kind] / 60_000) }
      : {}),
    ...red,
  },
});

const without = (kind: string) => (world: ReleaseBuilder) => {
  world.evidence = world.evidence.filter((upload) => upload.kind !== kind);
};
const only = (kind: string, upload: ReturnType<typeof piece>) => (world: ReleaseBuilder) => {
  without(kind)(world);
  world.uploaded(upload);
};

export const GATE_PRECONDITIONS: readonly Pillar[] = [
  fact('policy', '', {
    absent: (world) => world.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    invalid: (world) => world.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    frozen: (world) =>
      world.know(
        'policy',
        '',
        valid({ ...STRICT_POLICY, freezes: [{ from: '2026-05-04', to: '2026-05-04', reason: '' }] }),
      ),
  }),
  fact('milestone', '5', {
    deleted: (world) => world.know('milestone', '5', null),
    'made again': (world) => world.know('milestone', '5', milestone({ githubId: 502 })),
    renamed: (world) => world.know('milestone', '5', milestone({ title: `${VERSION}-rc.1` })),
  }),
  fact('issues', '5', {
    open: (world) => world.know('issues', '5', [issue(), issue({ number: 12, state: 'open' })]),
    none: (world) => world.know('issues', '5', []),
  }),
  fact('refs', 'release/', {
    moved: (world) => world.know('refs', 'release/', [{ branch: `release/${VERSION}`, sha: sha('b') }]),
    gone: (world) => world.know('refs', 'release/', []),
    'of another version': (world) =>
      world.know('refs', 'release/', [{ branch: `release/${VERSION}.1`, sha: CANDIDATE }]),
  }),
  fact('refs', 'hotfix/', {
    second: (world) => world.know('refs', 'hotfix/', [{ branch: `hotfix/${VERSION}`, sha: sha('b') }]),
  }),
  fact('refs', 'main', {}),
  fact('checks', CANDIDATE, {
    failed: (world) => world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'failure' })]),
    pending: (world) => world.know('checks', CANDIDATE, [check('build', { state: 'pending' }), check('e2e')]),
    skipped: (world) => world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'skipped' })]),
    'of an earlier version': (world) => {
      const { name, app, state, url } = check('e2e');
      world.know('checks', CANDIDATE, [check('build'), { name, app, state, url } as CheckFact]);
    },
    unreported: (world) => world.know('checks', CANDIDATE, [check('e2e')]),
    'of another app': (world) => world.know('checks', CANDIDATE, [check('build'), check('e2e', { app: 'other' })]),
  }),
  fact('comparison', since, {
    'written by a reviewer': (world) =>
      world.know(
        'comparison',
        since,
        comparison(PREDECESSOR, {
          commits: [{ sha: CANDIDATE, parents: [], authorId: 1, committerId: 1, coAuthors: [] }],
        }),
      ),
    'cut short': (world) => world.know('comparison', since, comparison(PREDECESSOR, { commitsComplete: false })),
  }),
  fact('pull', number, {
    gone: (world) => world.know('pull', number, null),
    closed: (world) => world.know('pull', number, pull({ state: 'closed' })),
    pushed: (world) => world.know('pull', number, pull({ headSha: sha('4') })),
    retargeted: (world) => world.know('pull', number, pull({ baseRef: 'elsewhere' })),
  }),
  fact('reviews', number, {
    none: (world) => world.know('reviews', number, []),
    one: (world) => world.know('reviews', number, [review(FIRST_REVIEWER)]),
    objection: (world) =>
      world.know('reviews', number, [review(FIRST_REVIEWER), review(SECOND_REVIEWER, { state: 'changes_requested' })]),
    'of an old head': (world) =>
      world.know('reviews', number, [review(FIRST_REVIEWER), review(SECOND_REVIEWER, { commitSha: sha('4') })]),
  }),
  fact('permission', FIRST_REVIEWER.login, {
    read: (world) => world.know('permission', FIRST_REVIEWER.login, { userId: 1, level: 'read' }),
    'of another account': (world) => world.know('permission', FIRST_REVIEWER.login, { userId: 77, level: 'admin' }),
  }),
  fact('permission', SECOND_REVIEWER.login, {
    none: (world) => world.know('permission', SECOND_REVIEWER.login, { userId: null, level: 'none' }),
  }),
  fact('team', 'release-managers', {
    left: (world) => world.know('team', 'release-managers', { exists: true, userIds: [1, 9] }),
    gone: (world) => world.know('team', 'release-managers', { exists: false, userIds: [] }),
  }),
  {
    name: 'tests',
    ways: {
      missing: without('unit_tests'),
      red: only('unit_tests', redPiece()),
      few: only('unit_tests', piece({ metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } } })),
      elsewhere: only('unit_tests', piece({ environment: 'ci' })),
      'of another commit': only('unit_tests', piece({ commitSha: sha('b') })),
      shard: (world) => world.uploaded(redPiece({ id: 'shard' })),
    },
  },
  {
    name: 'coverage',
    ways: {
      missing: without('coverage'),
      low: only('coverage', coveragePiece(79)),
      dropped: only('coverage', coveragePiece(83.9)),
      unmeasured: only('coverage', coveragePiece(null)),
    },
  },
  {
    name: 'sast_scan',
    ways: {
      missing: without('sast_scan'),
      critical: only('sast_scan', scanPiece('sast_scan', { critical: 1 })),
      uncounted: only('sast_scan', scanPiece('sast_scan', { critical: Number.NaN })),
    },
  },
  {
    name: 'security',
    ways: {
      missing: without('security'),
      high: only('security', scanPiece('security', { high: 1 })),
      failed: only('security', scanPiece('security', {}, { failures: ['cut short'] })),
    },
  },
  {
    name: 'the record',
    ways: {
      removed: (world) => world.recorded({ repository: { ...world.record.repository, removed: true } }),
      'beyond the plan': (world) => world.recorded({ repository: { ...world.record.repository, withinPlan: false } }),
      'tampered with': (world) =>
        world.recorded({ repository: { ...world.record.repository, tamperedBranches: [`release/${VERSION}`] } }),
      deleted: (world) => world.recorded({ deletedAt: new Date(0) }),
      'without its pull request': (world) => world.recorded({ evidencePull: null }),
      'with another set': (world) =>
        world.recorded({
          evidencePull: world.record.evidencePull && { ...world.record.evidencePull, setDigest: 'other' },
        }),
    },
  },
];

/** Every single way in which the open world may be spoilt. */
export const FAILURE_CASES = GATE_PRECONDITIONS.flatMap(({ name, ways }) =>
  Object.entries(ways).map(([way, spoil]) => ({ pillar: name, name: `${name}: ${way}`, spoil })),
);
