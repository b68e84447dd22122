import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  DEVELOPMENT_HEAD,
  NOW,
  PREDECESSOR,
  commit,
  comparison,
  releaseRecord,
} from '../../../test/support/given-facts.js';
import type { Observation } from '../facts/facts.js';
import { candidateAuthors } from './evaluate.js';

const since = (base: string, author: number): Observation => ({
  kind: 'comparison',
  key: `${base}...${CANDIDATE}`,
  value: comparison(base, { commits: [commit(CANDIDATE, [base], author)] }),
  observedAt: NOW,
});

describe('candidateAuthors', () => {
  const verdict = { candidateSha: CANDIDATE, developmentHead: DEVELOPMENT_HEAD };
  const observations = [since(PREDECESSOR, 3), since(DEVELOPMENT_HEAD, 4)];

  it('reads the authors from the inputs of the verdict', () => {
    const predecessor = { candidateSha: PREDECESSOR, linePercent: null };
    expect(candidateAuthors(verdict, { record: releaseRecord({ predecessor }), observations })).toEqual(new Set([3]));
    expect(candidateAuthors(verdict, { record: releaseRecord(), observations })).toEqual(new Set([4]));
  });

  it('returns null when the inputs do not list the authors, or without a candidate', () => {
    expect(candidateAuthors(verdict, { record: releaseRecord(), observations: [] })).toBeNull();
    const none = { ...verdict, candidateSha: null };
    expect(candidateAuthors(none, { record: releaseRecord(), observations })).toBeNull();
  });
});
