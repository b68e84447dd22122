import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { GATE_PRECONDITIONS, FAILURE_CASES } from '../../../test/support/gate-preconditions.js';
import {
  CANDIDATE,
  PREDECESSOR,
  VERSION,
  check,
  evidenceItem,
  failingItem,
  sha,
} from '../../../test/support/given-facts.js';
import { givenSoakedRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { evaluate } from './evaluate.js';

const isOpenAfter = (...failures: readonly ((release: ReleaseBuilder) => void)[]): boolean => {
  const release = givenSoakedRelease();
  for (const spoil of failures) spoil(release);
  return release.isOpen();
};

describe('the gate', () => {
  it('closes for every pair of failures', () => {
    const open = FAILURE_CASES.flatMap((one, index) =>
      FAILURE_CASES.slice(index + 1)
        .filter((other) => other.pillar !== one.pillar && isOpenAfter(one.spoil, other.spoil))
        .map((other) => `${one.name} and ${other.name}`),
    );
    expect(open).toEqual([]);
  });

  it('opens only when every precondition holds', () => {
    // Each state is far more often good than not, so that a case has only a few failures and sometimes none.
    const states = GATE_PRECONDITIONS.map(({ ways }) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant('green') },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(ways)) },
      ),
    );
    let opened = 0;
    fc.assert(
      fc.property(fc.tuple(...states), (combination) => {
        const failures = combination.flatMap((state, index) => GATE_PRECONDITIONS[index]?.ways[state] ?? []);
        const open = isOpenAfter(...failures);
        opened += open ? 1 : 0;
        expect(open).toBe(combination.every((state) => state === 'green'));
      }),
      { numRuns: 4_000 },
    );
    expect(opened).toBeGreaterThan(0);
  });

  it('does not open for unrelated facts and evidence', () => {
    for (const { name, spoil } of FAILURE_CASES) {
      const release = givenSoakedRelease();
      spoil(release);
      release
        .uploaded(
          evidenceItem({ commitSha: sha('8'), run: { id: '999', proven: true } }),
          evidenceItem({ pipeline: 'other' }),
        )
        .know('refs', 'feature/', [{ branch: `feature/${VERSION}`, sha: CANDIDATE }])
        .know('checks', sha('8'), [check('build'), check('e2e')]);
      expect([name, release.isOpen()]).toEqual([name, false]);
    }
  });

  it('stays open for unrelated facts and evidence', () => {
    const release = givenSoakedRelease()
      .uploaded(failingItem({ commitSha: sha('8'), run: { id: '999', proven: true } }))
      .know('history', CANDIDATE, [
        { sha: CANDIDATE, parents: [PREDECESSOR], authorId: 9, committerId: 9, coAuthors: [] },
      ]);
    expect(release.isOpen()).toBe(true);
  });

  it('has the same answer for any order of uploads and observations', () => {
    const essence = (
      release: ReleaseBuilder,
      evidence = release.evidence,
      observations = release.observations(),
    ): unknown => {
      const { stage, gate, setDigest, candidateSha, candidateShas } = evaluate({
        ...release.inputs(),
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
    const cases = fc.constantFrom(undefined, ...FAILURE_CASES).chain((way) => {
      const release = givenSoakedRelease().uploaded(
        failingItem({ run: { id: '99', proven: true } }),
        evidenceItem({ run: { id: '100', proven: true }, attempt: 2 }),
      );
      way?.spoil(release);
      return fc.tuple(fc.constant(release), shuffled(release.evidence), shuffled(release.observations()));
    });
    fc.assert(
      fc.property(cases, ([release, evidence, observations]) => {
        expect(essence(release, evidence, observations)).toEqual(essence(release));
      }),
      { numRuns: 500 },
    );
  });
});
