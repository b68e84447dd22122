import { describe, expect, it } from '@jest/globals';
import type { CommitFact, ComparisonFact, Observation } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { releaseAuthors } from './release-authors.js';

const candidateSha = 'c'.repeat(40);
const developmentHead = 'd'.repeat(40);
const predecessorSha = 'a'.repeat(40);
const commit = (sha: string, authorId: number | null): CommitFact => ({
  sha,
  parents: [],
  authorId,
  committerId: null,
  coAuthors: [],
});

const observed = (
  base: string,
  commits: readonly CommitFact[],
  { complete = true, history = [] as CommitFact[] } = {},
): Observation[] => {
  const value: ComparisonFact = {
    status: 'ahead',
    mergeBaseSha: base,
    files: [],
    filesComplete: true,
    commits,
    commitsComplete: complete,
  };
  return [
    { kind: 'comparison', key: `${base}...${candidateSha}`, value, observedAt: new Date() },
    { kind: 'history', key: developmentHead, value: history, observedAt: new Date() },
  ];
};
const world = (...given: Parameters<typeof observed>): TrackedFacts => new TrackedFacts(observed(...given));

describe('the authors of a release', () => {
  it('are those of the commits since the last shipped candidate', () => {
    const facts = world(predecessorSha, [commit('b'.repeat(40), 1), commit(candidateSha, 2)]);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toEqual(new Set([1, 2]));
  });

  it('are those since the merge base where nothing was shipped', () => {
    const facts = world(developmentHead, [commit('b'.repeat(40), 1), commit(candidateSha, null)]);
    expect(releaseAuthors({ candidateSha, predecessorSha: null, developmentHead }, facts)).toEqual(new Set([1]));
  });

  it('hold at least who wrote the candidate, on a trunk that has shipped nothing', () => {
    const facts = world(developmentHead, [], { history: [commit(developmentHead, 3), commit(candidateSha, 7)] });
    expect(releaseAuthors({ candidateSha, predecessorSha: null, developmentHead }, facts)).toEqual(new Set([7]));
  });

  it.each([
    ['the list of commits was cut short', world(predecessorSha, [commit(candidateSha, 2)], { complete: false })],
    ['the candidate is in no list', world(predecessorSha, [])],
    ['nothing was compared', new TrackedFacts([])],
  ])('are not known where %s', (_why, facts) => {
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });

  const question = { candidateSha, predecessorSha, developmentHead };

  it('are authors, committers and co-authors, without the account of GitHub that commits for people', () => {
    const facts = world(predecessorSha, [
      { ...commit('b'.repeat(40), 1), committerId: 2, coAuthors: [3, 4] },
      { ...commit(candidateSha, null), committerId: 19_864_447 },
    ]);
    expect(releaseAuthors(question, facts)).toEqual(new Set([1, 2, 3, 4]));
  });

  describe('of whom a login alone is known', () => {
    const named = (...coAuthors: readonly (number | string)[]): readonly CommitFact[] => [
      { ...commit(candidateSha, 1), coAuthors },
    ];
    const accounts = (all: Readonly<Record<string, number | null>>): Observation[] =>
      Object.entries(all).map(([key, userId]) => ({
        kind: 'permission',
        key,
        value: { userId, level: 'none' },
        observedAt: new Date(),
      }));
    const asking = (commits: readonly CommitFact[], all: Readonly<Record<string, number | null>>): TrackedFacts =>
      new TrackedFacts([...observed(predecessorSha, commits), ...accounts(all)]);

    it('are whose the login is', () => {
      expect(releaseAuthors(question, asking(named('ada', 5), { ada: 7 }))).toEqual(new Set([1, 5, 7]));
    });

    it('are nobody where no account has the login', () => {
      expect(releaseAuthors(question, asking(named('ada'), { ada: null }))).toEqual(new Set([1]));
    });

    it('are not known until each of them was looked up', () => {
      const facts = asking(named('ada', 'bo', 'cy'), { ada: 7 });
      expect(releaseAuthors(question, facts)).toBeNull();
      expect(facts.missing()).toEqual([
        { kind: 'permission', key: 'bo' },
        { kind: 'permission', key: 'cy' },
      ]);
    });

    it('are not known where there are too many to look up', () => {
      const logins = Array.from({ length: 201 }, (_, index) => `login-${index}`);
      const facts = asking(named(...logins), {});
      expect(releaseAuthors(question, facts)).toBeNull();
      expect(facts.keys().filter(({ kind }) => kind === 'permission')).toEqual([]);
      const known = Object.fromEntries(logins.slice(1).map((login, index) => [login, index + 100]));
      expect(releaseAuthors(question, asking(named(...logins.slice(1)), known))?.size).toBe(201);
    });
  });

  describe('that an earlier version stored without co-authors', () => {
    const older = (sha: string): CommitFact => {
      const { coAuthors, ...kept } = commit(sha, 1);
      expect(coAuthors).toEqual([]);
      return kept as CommitFact;
    };

    it('are read anew from the comparison', () => {
      const facts = world(predecessorSha, [commit('b'.repeat(40), 2), older(candidateSha)]);
      expect(releaseAuthors(question, facts)).toBeNull();
      expect(facts.missing()).toEqual([{ kind: 'comparison', key: `${predecessorSha}...${candidateSha}` }]);
      expect(facts.earliestExpiry()).toBe(Number.NEGATIVE_INFINITY);
    });

    it('are read anew from the history', () => {
      const facts = world(predecessorSha, [commit('b'.repeat(40), 2)], { history: [older(candidateSha)] });
      expect(releaseAuthors(question, facts)).toBeNull();
      expect(facts.missing()).toEqual([{ kind: 'history', key: developmentHead }]);
    });
  });

  const merged = [commit('b'.repeat(40), 3)];

  it('hold the author of a candidate that is not among the commits compared', () => {
    const facts = world(predecessorSha, merged, { history: [commit(candidateSha, 1)] });
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toEqual(new Set([3, 1]));
  });

  it('are not known while that candidate was found nowhere', () => {
    const facts = world(predecessorSha, merged, { history: merged });
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });

  it('are those compared where there is no development branch', () => {
    const facts = world(predecessorSha, merged);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead: null }, facts)).toEqual(new Set([3]));
  });

  it('are not known while the history was not read', () => {
    const compared = { status: 'ahead', mergeBaseSha: predecessorSha, files: [], filesComplete: true } as const;
    const key = `${predecessorSha}...${candidateSha}`;
    const value: ComparisonFact = { ...compared, commits: merged, commitsComplete: true };
    const facts = new TrackedFacts([{ kind: 'comparison', key, value, observedAt: new Date(0) }]);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });
});
