import { describe, expect, it } from '@jest/globals';
import { policyWith, reviewersRule } from '../../../test/support/given-facts.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { describeApprovalEffects, toReviewPolicy } from './review-policy.js';

const deployment = (changes: Partial<Policy['deployment']>): Policy['deployment'] => ({
  ...DEFAULT_POLICY.deployment,
  ...changes,
});
const summary = (policy: Policy): string => {
  const { status, summary: sentence } = describeApprovalEffects('v1.4.0', policy);
  expect(status).toBe('configured');
  return sentence;
};

describe('toReviewPolicy', () => {
  it('combines two parts of the policy', () => {
    const evidencing = reviewersRule({ minApprovals: 2, teams: ['leads'] });
    const policy = policyWith({ evidencing, deployment: deployment({ target: 'live', promotion: 'auto' }) });
    expect(toReviewPolicy(policy)).toEqual({
      minApprovals: 2,
      teams: ['leads'],
      deploymentTarget: 'live',
      promotion: 'auto',
      requiresEvidenceApproval: true,
    });
  });
});

describe('describeApprovalEffects', () => {
  it('returns "unknown" without a policy', () => {
    expect(describeApprovalEffects('v1.4.0', null)).toEqual({
      status: 'unknown',
      summary: 'What an approval of v1.4.0 does is not known, because no valid sdlc.yaml was read lately.',
    });
  });

  it.each<[string, Policy, string]>([
    [
      'one approval',
      policyWith(),
      'With the approval of 1 eligible reviewer and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open.',
    ],
    [
      'approvals of teams before an automatic deployment',
      policyWith({
        evidencing: reviewersRule({ minApprovals: 2, teams: ['leads', 'managers'] }),
        deployment: deployment({ promotion: 'auto', target: 'live' }),
      }),
      `With the approvals of 2 eligible reviewers of "leads" or "managers" and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. When the gate opens, Shipgate starts the deployment to live.`,
    ],
    [
      'only a merge',
      policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) }),
      'Once the evidence pull request is merged, which requires no approval, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open.',
    ],
    [
      'no approval',
      policyWith({ deployment: deployment({ requiresEvidenceApproval: false }) }),
      'The policy requires no approval of evidence, so an approval of v1.4.0 has no effect.',
    ],
  ])('describes the effect when the policy requires %s', (_name, policy, sentence) => {
    expect(summary(policy)).toBe(sentence);
  });
});
