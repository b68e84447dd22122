import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
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
  givenOpenRelease,
  issue,
  milestone,
  piece,
  pull,
  redPiece,
  review,
  scanPiece,
  sha,
  valid,
  type GivenRelease,
} from '../../../test/support/given-facts.js';
import { evaluate } from './evaluate.js';
import { FACT_LIFETIME_MS, type FactKind, type Observation } from './facts.js';
import { STAGES } from './stage.js';

/**
 * Each thing that the gate of the strict world rests on, and every way in which it may fail to be so. Nothing here asks
 * the rules: whoever turns a world bad knows that it is bad.
 */
interface Pillar {
  readonly name: string;
  readonly ways: Readonly<Record<string, (world: GivenRelease) => void>>;
}

const number = String(PULL_NUMBER);
const since = `${PREDECESSOR}...${CANDIDATE}`;

/** A fact that may be missing, as it may be red; and too old, where it can be. */
const fact = (kind: FactKind, key: string, red: Pillar['ways']): Pillar => ({
  name: `${kind} ${key}`,
  ways: {
    missing: (world) => world.forget(kind, key),
    ...(Number.isFinite(FACT_LIFETIME_MS[kind])
      ? { stale: (world: GivenRelease) => world.age(kind, key, FACT_LIFETIME_MS[kind] / 60_000) }
      : {}),
    ...red,
  },
});

const without = (kind: string) => (world: GivenRelease) => {
  world.evidence = world.evidence.filter((upload) => upload.kind !== kind);
};
const only = (kind: string, upload: ReturnType<typeof piece>) => (world: GivenRelease) => {
  without(kind)(world);
  world.uploaded(upload);
};

const PILLARS: readonly Pillar[] = [
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
    unreported: (world) => world.know('checks', CANDIDATE, [check('e2e')]),
    'of another app': (world) => world.know('checks', CANDIDATE, [check('build'), check('e2e', { app: 'other' })]),
  }),
  fact('comparison', since, {
    'written by a reviewer': (world) =>
      world.know(
        'comparison',
        since,
        comparison(PREDECESSOR, { commits: [{ sha: CANDIDATE, parents: [], authorId: 1, committerId: 1 }] }),
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

const WAYS = PILLARS.flatMap(({ name, ways }) =>
  Object.entries(ways).map(([way, spoil]) => ({ pillar: name, name: `${name}: ${way}`, spoil })),
);
const isOpenSpoiltBy = (...spoils: readonly ((world: GivenRelease) => void)[]): boolean => {
  const world = givenOpenRelease();
  for (const spoil of spoils) spoil(world);
  return world.isOpen();
};

describe('the gate, fail closed', () => {
  it('stands open in the world where everything is known, fresh and green', () => {
    const world = givenOpenRelease();
    expect(world.reasons()).toEqual([]);
    expect(world.isOpen()).toBe(true);
  });

  it.each(WAYS)('closes for one thing alone: $name', ({ spoil }) => {
    expect(isOpenSpoiltBy(spoil)).toBe(false);
  });

  it('closes for every pair of things', () => {
    const open = WAYS.flatMap((one, index) =>
      WAYS.slice(index + 1)
        .filter((other) => other.pillar !== one.pillar && isOpenSpoiltBy(one.spoil, other.spoil))
        .map((other) => `${one.name} and ${other.name}`),
    );
    expect(open).toEqual([]);
  });

  it('opens for the one combination in which every pillar stands, and for no other', () => {
    // Green far more often than not, so that a few things are wrong at once, and now and then nothing is.
    const states = PILLARS.map(({ ways }) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant('green') },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(ways)) },
      ),
    );
    let opened = 0;
    fc.assert(
      fc.property(fc.tuple(...states), (combination) => {
        const spoils = combination.flatMap((state, index) => PILLARS[index]?.ways[state] ?? []);
        const open = isOpenSpoiltBy(...spoils);
        opened += open ? 1 : 0;
        expect(open).toBe(combination.every((state) => state === 'green'));
      }),
      { numRuns: 4_000 },
    );
    expect(opened).toBeGreaterThan(0);
  });

  it('rests on every fact that it was given, and closes without any one of them or when it is old', () => {
    for (const { kind, key } of givenOpenRelease().observations()) {
      // The author's own permission is the one fact that nobody needs.
      if (kind === 'permission' && key === 'author') continue;
      expect([kind, key, givenOpenRelease().forget(kind, key).isOpen()]).toEqual([kind, key, false]);
      const minutes = FACT_LIFETIME_MS[kind] / 60_000;
      if (!Number.isFinite(minutes)) continue;
      expect([kind, key, givenOpenRelease().age(kind, key, minutes).isOpen()]).toEqual([kind, key, false]);
      expect([
        kind,
        key,
        givenOpenRelease()
          .age(kind, key, minutes - 0.01)
          .isOpen(),
      ]).toEqual([kind, key, true]);
    }
  });

  it('says until when it stands open: the expiry of the first fact to expire', () => {
    const world = givenOpenRelease().age('team', 'release-managers', 2);
    const { gate } = world.verdict();
    expect(gate.openUntil).toBe(world.now.getTime() + 3 * 60_000);
    expect(gate.validUntil).toBe(gate.openUntil);
  });

  it('closes for facts or a clock that have no time', () => {
    const world = givenOpenRelease();
    const broken = world.observations().map((known): Observation => ({ ...known, observedAt: new Date(Number.NaN) }));
    expect(evaluate({ ...world.inputs(), observations: broken }).gate.openUntil).toBeNull();
    expect(evaluate({ ...world.inputs(), now: new Date(Number.NaN) }).gate.openUntil).toBeNull();
  });

  it('is never opened by what is unrelated', () => {
    for (const { name, spoil } of WAYS) {
      const world = givenOpenRelease();
      spoil(world);
      world
        .uploaded(piece({ commitSha: sha('8'), run: { id: '999', attempt: 1 } }), piece({ pipeline: 'other' }))
        .know('refs', 'feature/', [{ branch: `feature/${VERSION}`, sha: CANDIDATE }])
        .know('checks', sha('8'), [check('build'), check('e2e')]);
      expect([name, world.isOpen()]).toEqual([name, false]);
    }
  });

  it('stays open for what is unrelated', () => {
    const world = givenOpenRelease()
      .uploaded(redPiece({ commitSha: sha('8'), run: { id: '999', attempt: 1 } }))
      .know('history', CANDIDATE, [{ sha: CANDIDATE, parents: [PREDECESSOR], authorId: 9, committerId: 9 }]);
    expect(world.isOpen()).toBe(true);
  });

  it('answers the same whatever the order of uploads and observations', () => {
    const essence = (world: GivenRelease, evidence = world.evidence, observations = world.observations()): unknown => {
      const { stage, gate, setDigest, candidateSha, candidateShas } = evaluate({
        ...world.inputs(),
        evidence,
        observations,
      });
      return [
        stage,
        gate.openUntil,
        gate.reasons.map(({ code }) => code).sort(),
        setDigest,
        candidateSha,
        candidateShas,
      ];
    };
    const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const worlds = fc.constantFrom(undefined, ...WAYS).chain((way) => {
      const world = givenOpenRelease().uploaded(
        redPiece({ run: { id: '99', attempt: 1 } }),
        piece({ run: { id: '100', attempt: 2 } }),
      );
      way?.spoil(world);
      return fc.tuple(fc.constant(world), shuffled(world.evidence), shuffled(world.observations()));
    });
    fc.assert(
      fc.property(worlds, ([world, evidence, observations]) => {
        expect(essence(world, evidence, observations)).toEqual(essence(world));
      }),
      { numRuns: 500 },
    );
  });
});

describe('evaluate', () => {
  const shas = fc.constantFrom(CANDIDATE, PREDECESSOR, sha('e'), 'no sha', '');
  const anyNumber = fc.oneof(fc.constantFrom(0, 1, 2, Number.NaN, Number.POSITIVE_INFINITY, -1), fc.double());
  const anyText = fc.oneof(
    fc.constantFrom('', VERSION, 'release-managers', '\u0000', '\ud800'),
    fc.string({ unit: 'binary' }),
  );
  const anyDate = fc.date({ noInvalidDate: false });
  const uploads = fc.array(
    fc.record({
      id: anyText,
      kind: fc.constantFrom('unit_tests', 'coverage', 'sast_scan', 'security', 'manual'),
      environment: fc.constantFrom('staging', 'ci'),
      pipeline: anyText,
      job: anyText,
      run: fc.option(
        fc.record({ id: fc.oneof(anyText, fc.constantFrom('1', '99999999999999999999')), attempt: anyNumber }),
      ),
      commitSha: shas,
      metrics: fc.record(
        {
          unit_tests: fc.record({ total: anyNumber, passed: anyNumber, failed: anyNumber, skipped: anyNumber }),
          coverage: fc.record({ line_percent: fc.option(anyNumber), branch_percent: fc.option(anyNumber) }),
          security: fc.record({ critical: anyNumber, high: anyNumber, medium: anyNumber, low: anyNumber }),
        },
        { requiredKeys: [] },
      ),
      failures: fc.array(anyText, { maxLength: 1 }),
      sha256: anyText,
      receivedAt: anyDate,
    }),
    { maxLength: 5 },
  );
  const commits = fc.array(
    fc.record({
      sha: shas,
      parents: fc.array(shas, { maxLength: 3 }),
      authorId: fc.option(anyNumber),
      committerId: fc.option(anyNumber),
    }),
    { maxLength: 4 },
  );
  const values = {
    milestone: fc.option(
      fc.record({
        githubId: fc.constantFrom(501, 502),
        number: anyNumber,
        title: anyText,
        state: fc.constantFrom('open', 'closed'),
        url: anyText,
      }),
    ),
    pull: fc.option(
      fc.record({
        number: fc.constant(PULL_NUMBER),
        state: fc.constantFrom('open', 'closed', 'merged'),
        headSha: shas,
        baseRef: fc.constantFrom('main', 'other'),
        baseSha: shas,
        mergedAt: fc.option(anyText),
        mergeCommitSha: fc.option(shas),
      }),
    ),
    reviews: fc.array(
      fc.record({
        id: anyNumber,
        userId: fc.option(fc.constantFrom(1, 2)),
        login: fc.option(fc.constantFrom('first-reviewer', 'second-reviewer', '__proto__')),
        state: fc.constantFrom('approved', 'changes_requested', 'commented', 'dismissed'),
        commitSha: fc.option(shas),
        submittedAt: anyText,
      }),
      { maxLength: 4 },
    ),
    history: commits,
    comparison: fc.record({
      status: fc.constantFrom('identical', 'ahead', 'behind', 'diverged'),
      mergeBaseSha: shas,
      files: fc.array(fc.record({ path: anyText, blobSha: fc.option(shas) }), { maxLength: 3 }),
      filesComplete: fc.boolean(),
      commits,
      commitsComplete: fc.boolean(),
    }),
    refs: fc.array(
      fc.record({ branch: fc.constantFrom('main', `release/${VERSION}`, `hotfix/${VERSION}`), sha: shas }),
      { maxLength: 3 },
    ),
  } as const;
  const keys = {
    milestone: ['5'],
    pull: [number],
    reviews: [number],
    history: [CANDIDATE, ''],
    comparison: [since, `${CANDIDATE}...${sha('e')}`],
    refs: ['main', 'release/', 'hotfix/'],
  } as const;
  const changes = fc.array(
    fc.constantFrom(...(Object.keys(values) as (keyof typeof values)[])).chain((kind) =>
      fc.record({
        kind: fc.constant(kind),
        key: fc.constantFrom<string>(...keys[kind]),
        value: values[kind],
        observedAt: anyDate,
      }),
    ),
    { maxLength: 8 },
  );

  it('never throws, whatever was uploaded and whatever the host said', () => {
    fc.assert(
      fc.property(uploads, changes, anyDate, (evidence, observations, now) => {
        const world = givenOpenRelease();
        const inputs = {
          ...world.inputs(),
          evidence: [...world.evidence, ...evidence],
          observations: [...world.observations(), ...observations],
          now,
        } as unknown as Parameters<typeof evaluate>[0];
        const verdict = evaluate(inputs);
        expect(STAGES).toContain(verdict.stage);
        if (verdict.gate.openUntil === null) expect(verdict.gate.reasons).not.toEqual([]);
        else expect(verdict.stage).toBe('DEPLOYMENT');
      }),
      { numRuns: 3_000 },
    );
  });

  it('never passes on numbers that count nothing', () => {
    const nothing = fc.oneof(
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0.5),
      fc.double({ max: -1 }),
    );
    const spoilt = fc.tuple(fc.constantFrom('unit_tests', 'sast_scan', 'security'), fc.nat({ max: 3 }), nothing);
    fc.assert(
      fc.property(spoilt, ([kind, field, value]) => {
        const world = givenOpenRelease();
        world.evidence = world.evidence.map((upload) => {
          const [key] = Object.keys(upload.metrics);
          if (upload.kind !== kind || key === undefined) return upload;
          const counts = Object.entries(upload.metrics[kind as 'security'] ?? {});
          const metrics = Object.fromEntries(
            counts.map(([name, count], index) => [name, index === field ? value : count]),
          );
          return { ...upload, metrics: { [kind]: metrics } };
        });
        expect(world.isOpen()).toBe(false);
      }),
    );
  });
});
