import { describe, expect, it } from '@jest/globals';
import { DEFAULT_POLICY, type Policy } from '../domain/policy/policy.js';
import { parsePolicyDocument, readPolicyDocument } from './policy-document.js';
import { starterPolicy } from './starter-policy.js';

const SCHEMA = 'https://shipgate.example.com/api/schemas/sdlc.v1.json';
const STRICTER = 'version: v1\nstages: { evidencing: { required_reviewers: { min_approvals: 3, teams: [leads] } } }\n';

const policyOf = (text: string, organization: string | null = null): Policy => {
  const state = parsePolicyDocument(text, 'main', organization === null ? null : readPolicyDocument(organization));
  if (state.status !== 'valid') throw new Error(JSON.stringify(state));
  return state.policy;
};

describe('the policy that a bootstrap proposes', () => {
  it.each(['payments', '2026', 'null', '1.0', '-', 'a.b_c-d', 'yes'])(
    'is the default policy for the repository %s',
    (repository) => {
      expect(policyOf(starterPolicy(repository, SCHEMA))).toEqual({ ...DEFAULT_POLICY, name: repository });
    },
  );

  it('names the defaults in its comments', () => {
    const stated = starterPolicy('payments', SCHEMA).replaceAll(/^#(?=[a-z ] *[a-z_]+:)/gm, '');
    expect(stated).toMatch(/^quality_gates: \{\}$/m);
    expect(stated).toMatch(/^ {6}min_approvals: 1$/m);
    expect(policyOf(stated)).toEqual({ ...DEFAULT_POLICY, name: 'payments' });
  });

  it('does not change the rules of the organization default', () => {
    const { requiredReviewers } = policyOf(starterPolicy('payments', SCHEMA), STRICTER).evidencing;
    expect(requiredReviewers).toMatchObject([{ minApprovals: 3, teams: ['leads'] }]);
  });
});
