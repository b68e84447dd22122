import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CANDIDATE, PREDECESSOR, PULL_NUMBER, VERSION, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease } from '../../../test/support/release-builder.js';
import { evaluate } from './evaluate.js';
import { STAGES } from '../facts/condition.js';

const number = String(PULL_NUMBER);
const since = `${PREDECESSOR}...${CANDIDATE}`;

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
        fc.record({ id: fc.oneof(anyText, fc.constantFrom('1', '99999999999999999999')), proven: fc.boolean() }),
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
      coAuthors: fc.array(fc.oneof(anyNumber, anyText), { maxLength: 2 }),
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

  it('never throws for any uploads and any facts of GitHub', () => {
    fc.assert(
      fc.property(uploads, changes, anyDate, (evidence, observations, now) => {
        const release = givenOpenRelease();
        const inputs = {
          ...release.inputs(),
          evidence: [...release.evidence, ...evidence],
          observations: [...release.observations(), ...observations],
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

  it('never accepts evidence with invalid counts', () => {
    const nothing = fc.oneof(
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0.5),
      fc.double({ max: -1 }),
    );
    const invalidCounts = fc.tuple(fc.constantFrom('unit_tests', 'sast_scan', 'security'), fc.nat({ max: 3 }), nothing);
    fc.assert(
      fc.property(invalidCounts, ([kind, field, value]) => {
        const release = givenOpenRelease();
        release.evidence = release.evidence.map((upload) => {
          const [key] = Object.keys(upload.metrics);
          if (upload.kind !== kind || key === undefined) return upload;
          const counts = Object.entries(upload.metrics[kind as 'security'] ?? {});
          const metrics = Object.fromEntries(
            counts.map(([name, count], index) => [name, index === field ? value : count]),
          );
          return { ...upload, metrics: { [kind]: metrics } };
        });
        expect(release.isOpen()).toBe(false);
      }),
    );
  });
});
