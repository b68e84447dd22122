import { describe, expect, it } from '@jest/globals';
import { ConsultedFacts } from '../release/consulted-facts.js';
import type { CommitFact, ComparisonFact, Observation } from '../release/facts.js';
import { releaseAuthors } from './release-authors.js';

const candidateSha = 'c'.repeat(40);
const developmentHead = 'd'.repeat(40);
const predecessorSha = 'a'.repeat(40);
const commit = (sha: string, authorId: number | null): CommitFact => ({
  sha,
  parents: [],
  authorId,
  committerId: null,
});

const world = (
  base: string,
  commits: readonly CommitFact[],
  { complete = true, history = [] as CommitFact[] } = {},
) => {
  const value: ComparisonFact = {
    status: 'ahead',
    mergeBaseSha: base,
    files: [],
    filesComplete: true,
    commits,
    commitsComplete: complete,
  };
  const observations: Observation[] = [
    { kind: 'comparison', key: `${base}...${candidateSha}`, value, observedAt: new Date() },
    { kind: 'history', key: developmentHead, value: history, observedAt: new Date() },
  ];
  return new ConsultedFacts(observations);
};

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
    ['nothing was compared', new ConsultedFacts([])],
  ])('are not known where %s', (_why, facts) => {
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
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
    const facts = new ConsultedFacts([{ kind: 'comparison', key, value, observedAt: new Date(0) }]);
    expect(releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)).toBeNull();
  });
});
