import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { GATE_PRECONDITIONS, FAILURE_CASES } from '../../../test/support/gate-pillars.js';
import { CANDIDATE, PREDECESSOR, VERSION, check, piece, redPiece, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import { evaluate } from './evaluate.js';

const isOpenSpoiltBy = (...spoils: readonly ((world: ReleaseBuilder) => void)[]): boolean => {
  const world = givenOpenRelease();
  for (const spoil of spoils) spoil(world);
  return world.isOpen();
};

describe('the gate, fail closed', () => {
  it('closes for every pair of things', () => {
    const open = FAILURE_CASES.flatMap((one, index) =>
      FAILURE_CASES.slice(index + 1)
        .filter((other) => other.pillar !== one.pillar && isOpenSpoiltBy(one.spoil, other.spoil))
        .map((other) => `${one.name} and ${other.name}`),
    );
    expect(open).toEqual([]);
  });

  it('opens for the one combination in which every pillar stands, and for no other', () => {
    // Green far more often than not, so that a few things are wrong at once, and now and then nothing is.
    const states = GATE_PRECONDITIONS.map(({ ways }) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant('green') },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(ways)) },
      ),
    );
    let opened = 0;
    fc.assert(
      fc.property(fc.tuple(...states), (combination) => {
        const spoils = combination.flatMap((state, index) => GATE_PRECONDITIONS[index]?.ways[state] ?? []);
        const open = isOpenSpoiltBy(...spoils);
        opened += open ? 1 : 0;
        expect(open).toBe(combination.every((state) => state === 'green'));
      }),
      { numRuns: 4_000 },
    );
    expect(opened).toBeGreaterThan(0);
  });

  it('is never opened by what is unrelated', () => {
    for (const { name, spoil } of FAILURE_CASES) {
      const world = givenOpenRelease();
      spoil(world);
      world
        .uploaded(piece({ commitSha: sha('8'), run: { id: '999', proven: true } }), piece({ pipeline: 'other' }))
        .know('refs', 'feature/', [{ branch: `feature/${VERSION}`, sha: CANDIDATE }])
        .know('checks', sha('8'), [check('build'), check('e2e')]);
      expect([name, world.isOpen()]).toEqual([name, false]);
    }
  });

  it('stays open for what is unrelated', () => {
    const world = givenOpenRelease()
      .uploaded(redPiece({ commitSha: sha('8'), run: { id: '999', proven: true } }))
      .know('history', CANDIDATE, [
        { sha: CANDIDATE, parents: [PREDECESSOR], authorId: 9, committerId: 9, coAuthors: [] },
      ]);
    expect(world.isOpen()).toBe(true);
  });

  it('answers the same whatever the order of uploads and observations', () => {
    const essence = (
      world: ReleaseBuilder,
      evidence = world.evidence,
      observations = world.observations(),
    ): unknown => {
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
    const worlds = fc.constantFrom(undefined, ...FAILURE_CASES).chain((way) => {
      const world = givenOpenRelease().uploaded(
        redPiece({ run: { id: '99', proven: true } }),
        piece({ run: { id: '100', proven: true }, attempt: 2 }),
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
