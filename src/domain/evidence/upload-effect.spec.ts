import { describe, expect, it } from '@jest/globals';
import { coverageItem, evidenceItem, sha } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { explainUploadEffect, type UploadState } from './upload-effect.js';

const CANDIDATE = sha('a');
const EQUIVALENT = sha('b');
const OTHER = sha('c');

const tests = evidenceItem({ id: 'mine/unit_tests', commitSha: CANDIDATE });
const coverage = { ...coverageItem(80), id: 'mine/coverage', commitSha: CANDIDATE };
const newer = evidenceItem({ id: 'newer/unit_tests', commitSha: CANDIDATE });

const stateOf = (changes: Partial<UploadState>, ...deciding: readonly EvidenceItem[]): UploadState => ({
  commitSha: CANDIDATE,
  items: [tests],
  candidateSha: CANDIDATE,
  candidateShas: [CANDIDATE],
  isCandidateKnown: true,
  evidenceSet: deciding
    .map(({ kind, pipeline, environment }) => JSON.stringify([kind, pipeline, environment]))
    .filter((key, at, keys) => keys.indexOf(key) === at)
    .map((key) =>
      deciding.filter(({ kind, pipeline, environment }) => JSON.stringify([kind, pipeline, environment]) === key),
    )
    .map((items) => ({ ...items[0]!, items, flaky: false, provenRun: null })),
  isShipped: false,
  commitExists: true,
  ...changes,
});

describe('explainUploadEffect', () => {
  it.each<[string, UploadState, string, string]>([
    ['an upload in the effective evidence set', stateOf({}, tests), 'decides', 'it counts at the candidate'],
    ['one beside others of its group', stateOf({}, newer, tests), 'decides', 'it counts at the candidate'],
    [
      'one of an equivalent commit',
      stateOf({ commitSha: EQUIVALENT, candidateShas: [CANDIDATE, EQUIVALENT] }, tests),
      'decides',
      'it counts with the candidate aaaaaaa',
    ],
    [
      'one that is replaced',
      stateOf({}, newer),
      'superseded',
      'it does not count: other evidence counts in place of its "unit_tests"',
    ],
    [
      'one of which a part is replaced',
      stateOf({ items: [tests, coverage] }, newer, coverage),
      'superseded',
      'it does not count: other evidence counts in place of its "unit_tests"',
    ],
    [
      'one of which the policy does not require a part',
      stateOf({ items: [tests, { ...coverage, kind: 'manual', id: 'mine/manual' }] }, tests),
      'decides',
      'it counts at the candidate',
    ],
    [
      'one that the policy does not require',
      stateOf({ items: [{ ...tests, kind: 'sbom', id: 'mine/sbom' }] }, newer),
      'superseded',
      'it does not count: the policy requires no "sbom"',
    ],
    [
      'one of a shipped release',
      stateOf({ isShipped: true }, tests),
      'superseded',
      'it does not count: the release is shipped',
    ],
    [
      'one of another commit',
      stateOf({ commitSha: OTHER }, newer),
      'not_the_candidate',
      'it does not count: the candidate is aaaaaaa',
    ],
    [
      'one of another commit that was not looked up',
      stateOf({ commitSha: OTHER, commitExists: null }, newer),
      'not_the_candidate',
      'it does not count: the candidate is aaaaaaa, and GitHub did not tell in time whether it has the commit',
    ],
    [
      'one without a candidate',
      stateOf({ candidateSha: null, candidateShas: [] }),
      'not_the_candidate',
      'it does not count: the release has no candidate yet',
    ],
    [
      'one of a candidate that may have changed',
      stateOf({ isCandidateKnown: false }, tests),
      'not_the_candidate',
      'whether it counts is not known, because GitHub did not tell the candidate in time',
    ],
    [
      'one of a commit that GitHub does not have',
      stateOf({ commitSha: OTHER, commitExists: false }),
      'unknown_commit',
      'it does not count: GitHub has no such commit',
    ],
    [
      'one of a commit that GitHub does not have, if the candidate is not known',
      stateOf({ commitSha: OTHER, commitExists: false, isCandidateKnown: false }),
      'unknown_commit',
      'it does not count: GitHub has no such commit',
    ],
  ])('explains %s', (_name, state, effect, because) => {
    expect(explainUploadEffect(state)).toEqual({ effect, because });
  });

  it('agrees with the evidence that counts', () => {
    const old = evidenceItem({ id: 'old/unit_tests', commitSha: CANDIDATE, run: { id: '1', proven: true } });
    const current = evidenceItem({ id: 'new/unit_tests', commitSha: CANDIDATE, run: { id: '2', proven: true } });
    const evidenceSet = selectEffectiveEvidence([old, current], { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);
    const effectOf = (item: EvidenceItem) => explainUploadEffect({ ...stateOf({ items: [item] }), evidenceSet }).effect;
    expect([effectOf(old), effectOf(current)]).toEqual(['superseded', 'decides']);
  });
});
