import { FACT_LIFETIME_MS, type Observation } from '../facts/facts.js';
import { minApprovals, type Policy, type ReviewerRequirement, reviewerTeams } from '../policy/policy.js';

export type ReviewPolicy = ReturnType<typeof toReviewPolicy>;

/**
 * Returns the rules of the policy about reviews. If there are several requirements, `minApprovals` is the least number of
 * users whose approvals can meet all of them, and `teams` are those of any of them.
 */
export const toReviewPolicy = ({ evidencing, deployment }: Policy) => ({
  minApprovals: minApprovals(evidencing.requiredReviewers),
  teams: reviewerTeams(evidencing.requiredReviewers),
  deploymentTarget: deployment.target,
  promotion: deployment.promotion,
  requiresEvidenceApproval: deployment.requiresEvidenceApproval,
});

/** Returns the number of approvals that the policy requires. Zero if it requires none. */
export const countRequiredApprovals = ({ minApprovals, requiresEvidenceApproval }: ReviewPolicy): number =>
  requiresEvidenceApproval ? minApprovals : 0;

/** The effect of an approval under the policy. It describes rules only, never whether a release may be deployed. */
export interface ApprovalEffects {
  readonly status: 'configured' | 'unknown';
  readonly summary: string;
}

/** Returns one sentence about the effect of approvals under the policy. `policy` is null if it is not known. */
export function describeApprovalEffects(version: string, policy: Policy | null): ApprovalEffects {
  if (policy === null) {
    return {
      status: 'unknown',
      summary: `What an approval of ${version} does is not known, because no valid sdlc.yaml was read lately.`,
    };
  }
  return { status: 'configured', summary: describeRules(version, policy) };
}

function describeRules(version: string, { evidencing, deployment }: Policy): string {
  const { requiredReviewers } = evidencing;
  if (!deployment.requiresEvidenceApproval) {
    return `The policy requires no approval of evidence, so an approval of ${version} has no effect.`;
  }
  const effect = `the evidence of ${version} counts as approved. This alone deploys nothing. ${describeDeployment(deployment)}`;
  if (minApprovals(requiredReviewers) === 0)
    return `Once the evidence pull request is merged, which requires no approval, ${effect}`;
  return `With ${requiredReviewers.map(describeRequirement).join(', ')} and no requested changes, ${effect}`;
}

function describeRequirement({ minApprovals: count, teams }: ReviewerRequirement): string {
  const approvals =
    count === 1 ? 'the approval of 1 eligible reviewer' : `the approvals of ${count} eligible reviewers`;
  return teams.length === 0 ? approvals : `${approvals} of ${teams.map((slug) => `"${slug}"`).join(' or ')}`;
}

const describeDeployment = ({ promotion, target }: Policy['deployment']): string =>
  promotion === 'auto'
    ? `When the gate opens, Shipgate starts the deployment to ${target}.`
    : `A deployer must deploy it to ${target} while the gate is open.`;

/** The known state of an evidence pull request. `closed` also if it no longer exists. */
export const REVIEW_STATES = ['open', 'closed', 'merged', 'unknown'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/**
 * Returns the state by the stored pull request. A merge never expires. Any other state counts only while it is fresh
 * and, after a request at `requestedAt`, only if it was read since then.
 */
export function reviewState(
  pull: Pick<Observation<'pull'>, 'value' | 'observedAt'> | null,
  now: Date,
  requestedAt: Date | null,
): ReviewState {
  if (pull === null) return 'unknown';
  if (pull.value?.state === 'merged') return 'merged';
  const isFresh = pull.observedAt.getTime() + FACT_LIFETIME_MS.pull > now.getTime();
  if (!isFresh || (requestedAt !== null && pull.observedAt < requestedAt)) return 'unknown';
  return pull.value === null ? 'closed' : pull.value.state;
}
