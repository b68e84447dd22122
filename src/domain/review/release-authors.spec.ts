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
const factsOf = (...given: Parameters<typeof observed>): TrackedFacts => new TrackedFacts(observed(...given));

describe('the authors of a release', () => {
  it('returns the authors of the commits since the last shipped candidate', () => {
    const facts = factsOf(predecessorSha, [commit('b'.repeat(40), 1), commit(candidateSha, 2)]);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toEqual(new Set([1, 2]));
  });

  it('returns the authors since the merge base if nothing was shipped', () => {
    const facts = factsOf(developmentHead, [commit('b'.repeat(40), 1), commit(candidateSha, null)]);
    expect(releaseAuthors({ candidateSha, predecessorSha: null, developmentHead }, facts)).toEqual(new Set([1]));
  });

  it('includes the author of the candidate on a trunk without a shipped release', () => {
    const facts = factsOf(developmentHead, [], { history: [commit(developmentHead, 3), commit(candidateSha, 7)] });
    expect(releaseAuthors({ candidateSha, predecessorSha: null, developmentHead }, facts)).toEqual(new Set([7]));
  });

  it.each([
    ['the list of commits was truncated', factsOf(predecessorSha, [commit(candidateSha, 2)], { complete: false })],
    ['the candidate is in no list', factsOf(predecessorSha, [])],
    ['nothing was compared', new TrackedFacts([])],
  ])('returns null when %s', (_why, facts) => {
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });

  const input = { candidateSha, predecessorSha, developmentHead };

  it('includes authors, committers and co-authors, but not the account of GitHub that commits for users', () => {
    const facts = factsOf(predecessorSha, [
      { ...commit('b'.repeat(40), 1), committerId: 2, coAuthors: [3, 4] },
      { ...commit(candidateSha, null), committerId: 19_864_447 },
    ]);
    expect(releaseAuthors(input, facts)).toEqual(new Set([1, 2, 3, 4]));
  });

  describe('co-authors known only by a login', () => {
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
    const factsWithAccounts = (
      commits: readonly CommitFact[],
      all: Readonly<Record<string, number | null>>,
    ): TrackedFacts => new TrackedFacts([...observed(predecessorSha, commits), ...accounts(all)]);

    it('includes the accounts of the logins', () => {
      expect(releaseAuthors(input, factsWithAccounts(named('ada', 5), { ada: 7 }))).toEqual(new Set([1, 5, 7]));
    });

    it('omits a login without an account', () => {
      expect(releaseAuthors(input, factsWithAccounts(named('ada'), { ada: null }))).toEqual(new Set([1]));
    });

    it('returns null until each login was read', () => {
      const facts = factsWithAccounts(named('ada', 'bo', 'cy'), { ada: 7 });
      expect(releaseAuthors(input, facts)).toBeNull();
      expect(facts.missing()).toEqual([
        { kind: 'permission', key: 'bo' },
        { kind: 'permission', key: 'cy' },
      ]);
    });

    it('returns null when there are too many logins', () => {
      const logins = Array.from({ length: 201 }, (_, index) => `login-${index}`);
      const facts = factsWithAccounts(named(...logins), {});
      expect(releaseAuthors(input, facts)).toBeNull();
      expect(facts.keys().filter(({ kind }) => kind === 'permission')).toEqual([]);
      const known = Object.fromEntries(logins.slice(1).map((login, index) => [login, index + 100]));
      expect(releaseAuthors(input, factsWithAccounts(named(...logins.slice(1)), known))?.size).toBe(201);
    });
  });

  const merged = [commit('b'.repeat(40), 3)];

  it('includes the author of a candidate that is not among the compared commits', () => {
    const facts = factsOf(predecessorSha, merged, { history: [commit(candidateSha, 1)] });
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toEqual(new Set([3, 1]));
  });

  it('returns null while that candidate is in no list', () => {
    const facts = factsOf(predecessorSha, merged, { history: merged });
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });

  it('returns the authors of the comparison if there is no development branch', () => {
    const facts = factsOf(predecessorSha, merged);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead: null }, facts)).toEqual(new Set([3]));
  });

  it('returns null while the history was not read', () => {
    const compared = { status: 'ahead', mergeBaseSha: predecessorSha, files: [], filesComplete: true } as const;
    const key = `${predecessorSha}...${candidateSha}`;
    const value: ComparisonFact = { ...compared, commits: merged, commitsComplete: true };
    const facts = new TrackedFacts([{ kind: 'comparison', key, value, observedAt: new Date(0) }]);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });
});
