import { describe, expect, it } from '@jest/globals';
import { CONDITION_CODES, type ConditionTraits, getTraits, isConditionCode } from './condition-catalogue.js';

const withTrait = (has: (traits: ConditionTraits) => boolean): readonly string[] =>
  CONDITION_CODES.filter((code) => has(getTraits(code))).toSorted();

describe('the catalogue of conditions', () => {
  it('blocks a release until a user acts by few conditions', () => {
    expect(withTrait(({ isBlocking }) => isBlocking)).toEqual([
      'artifact_ambiguous',
      'cancelled',
      'changes_requested',
      'check_failing',
      'check_skipped',
      'evidence_failing',
      'evidence_pull_altered',
      'evidence_pull_closed',
      'freeze',
      'milestone_renamed',
      'no_development_branch',
      'no_reviewer_left',
      'plan_limit',
      'policy_invalid',
      'policy_missing',
      'policy_unknown',
      'provenance_invalid',
      'quality_gate_failing',
      'repository_removed',
      'tampered',
      'too_few_tests',
      'two_release_branches',
    ]);
  });

  it.each<[string, (traits: ConditionTraits) => boolean, readonly string[]]>([
    ['depend on time alone', ({ isTimeDependent }) => isTimeDependent === true, ['facts_stale', 'freeze']],
    ['are final', ({ isFinal }) => isFinal === true, ['cancelled', 'deployment_ended', 'repository_removed']],
    ['mean that facts were not read', ({ isUnreadFact }) => isUnreadFact === true, ['facts_stale', 'unknown']],
    [
      'mean that evidence is missing',
      ({ isMissingEvidence }) => isMissingEvidence === true,
      ['evidence_incomplete', 'evidence_missing', 'quality_evidence_missing', 'too_few_tests'],
    ],
    [
      'are cleared by writing the evidence pull request',
      ({ isClearedByEvidencePull }) => isClearedByEvidencePull === true,
      ['evidence_pull_merged_unapproved', 'evidence_pull_outdated', 'evidence_pull_pending'],
    ],
  ])('lists the conditions that %s', (_name, has, codes) => expect(withTrait(has)).toEqual(codes));

  it('has a title, and a sentence for the next step and for each missing override', () => {
    for (const code of CONDITION_CODES) {
      const { title, next, override } = getTraits(code);
      expect([code, title]).toEqual([code, expect.stringMatching(/^[A-Z].*[^.]$/)]);
      expect([code, next]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
      if (override.by !== 'waiver') expect([code, override.why]).toEqual([code, expect.stringMatching(/^[a-z].*\.$/)]);
    }
  });

  it.each(['', 'anything', 'FREEZE', 'freeze ', '__proto__', 'constructor'])('has no entry for %j', (code) => {
    expect(isConditionCode(code)).toBe(false);
  });
});
