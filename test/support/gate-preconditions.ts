import { FACT_LIFETIME_MS, type FactKind } from '../../src/domain/facts/facts.js';
import type { Artifact, ArtifactBundle } from '../../src/domain/artifact/artifact.js';
import type { ReportedChange } from '../../src/domain/release/environment-soak.js';
import {
  CANDIDATE,
  FIRST_REVIEWER,
  NOW,
  PREDECESSOR,
  PULL_NUMBER,
  SECOND_REVIEWER,
  COMPLETE_POLICY,
  VERSION,
  artifact,
  check,
  comparison,
  coverageItem,
  deployedFor,
  issue,
  milestone,
  evidenceItem,
  pull,
  failingItem,
  review,
  runJobs,
  scanItem,
  sha,
  valid,
  verifiedBundle,
} from './given-facts.js';
import { type ReleaseBuilder } from './release-builder.js';

/**
 * Each precondition of an open gate under the complete policy, and every way in which it can fail. This code does not use
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

const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const reported = (changes: Partial<ReportedChange>) => (release: ReleaseBuilder) => {
  const [startedAt, endedAt] = [Date.parse(ago(31)), Date.parse(ago(30))];
  release.reports = [{ id: 'reported', environment: 'dev', commitSha: CANDIDATE, startedAt, endedAt, ...changes }];
};
const stated =
  (...artifacts: readonly Artifact[]) =>
  (release: ReleaseBuilder) => {
    release.artifacts = artifacts;
  };
const withBundle = (changes: Partial<ArtifactBundle>): Artifact =>
  artifact({ bundles: [{ ...verifiedBundle(), ...changes }] });

export const GATE_PRECONDITIONS: readonly GatePrecondition[] = [
  fact('policy', '', {
    absent: (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    invalid: (release) => release.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    frozen: (release) =>
      release.know(
        'policy',
        '',
        valid({ ...COMPLETE_POLICY, freezes: [{ from: '2026-05-04', to: '2026-05-04', reason: '' }] }),
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
  fact('deployments', 'dev', {
    none: (release) => release.know('deployments', 'dev', []),
    'of another commit': (release) => release.know('deployments', 'dev', deployedFor(120, { sha: sha('b') })),
    'followed by another commit': (release) =>
      release.know('deployments', 'dev', [...deployedFor(30, { githubId: 2, sha: sha('b') }), ...deployedFor(120)]),
    ended: (release) =>
      release.know('deployments', 'dev', deployedFor(120, { periods: [{ from: ago(120), to: ago(30) }] })),
    'too short': (release) => release.know('deployments', 'dev', deployedFor(59)),
    'not read at the end of the soak': (release) =>
      release.know('deployments', 'dev', deployedFor(60)).age('deployments', 'dev', 1),
    'with a gap in what is known': (release) =>
      release.change('deployments', 'dev', { knownSince: Date.parse(ago(30)) }),
    'at an unknown time': (release) => release.change('deployments', 'dev', { moments: {} }),
    'followed by a reported success of another commit without its start': reported({
      commitSha: sha('b'),
      startedAt: null,
    }),
    'followed by a reported deployment of another commit': reported({ commitSha: sha('b') }),
  }),
  fact('deployments', 'staging', {
    none: (release) => release.know('deployments', 'staging', []),
    'of another commit': (release) => release.know('deployments', 'staging', deployedFor(90, { sha: sha('b') })),
    'after the tests began': (release) => release.know('deployments', 'staging', deployedFor(59)),
    'at an unknown time': (release) => release.change('deployments', 'staging', { moments: {} }),
  }),
  fact('run_jobs', '100', {
    'before the deployment': (release) => release.know('run_jobs', '100', runJobs(91)),
    'in the second of the deployment': (release) => release.know('run_jobs', '100', runJobs(90)),
    'without its beginning': (release) => release.know('run_jobs', '100', { granted: true, jobs: [], complete: true }),
    'at an unknown time': (release) => release.change('run_jobs', '100', { moments: {} }),
  }),
  {
    name: 'the artifact',
    ways: {
      missing: stated(),
      'not loaded': (release) => {
        release.artifacts = null;
      },
      'of another name': stated(artifact({ name: 'web', bundles: [verifiedBundle()] })),
      'of another commit': stated(
        artifact({ commitSha: sha('b'), bundles: [verifiedBundle({ sourceSha: sha('b') })] }),
      ),
      'without provenance': stated(artifact()),
      'with a provenance that is not verified yet': stated(withBundle({ status: 'pending', provenance: null })),
      'with an invalid provenance': stated(withBundle({ status: 'invalid', reason: 'No root.', provenance: null })),
      'with an invalid provenance beside a verified one': stated(
        artifact({
          bundles: [
            verifiedBundle(),
            { ...verifiedBundle(), sha256: 'd'.repeat(64), status: 'invalid', provenance: null },
          ],
        }),
      ),
      'with the provenance of another commit': stated(artifact({ bundles: [verifiedBundle({ sourceSha: sha('b') })] })),
      'built on another runner': stated(artifact({ bundles: [verifiedBundle({ runnerEnvironment: 'self-hosted' })] })),
      'bound to nothing': stated(artifact({ runId: null })),
      ambiguous: stated(
        artifact({ bundles: [verifiedBundle()] }),
        artifact({ id: 'other', digest: `sha256:${'f'.repeat(64)}`, bundles: [verifiedBundle()] }),
      ),
      'another one than was approved': stated(
        artifact({ digest: `sha256:${'f'.repeat(64)}`, bundles: [verifiedBundle()] }),
      ),
    },
  },
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
