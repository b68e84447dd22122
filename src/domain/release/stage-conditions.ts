import { unread } from '../facts/condition.js';
import type { IssueFact, Sha } from '../facts/facts.js';
import type { ConsultedFacts } from '../facts/tracked-facts.js';
import type { Policy, PolicyState } from '../policy/policy.js';
import { unmetChecks } from '../quality/tests-passing.js';
import type { Condition } from './stage.js';

/** The open issues of the scope that keep the release in development. */
export function openIssues(policy: Policy, issues: readonly IssueFact[] | undefined): readonly Condition[] {
  if (!issues) return [unread('the issues of the milestone')];
  if (!policy.development.requireIssuesClosed) return [];
  return issues
    .filter(
      ({ state, labels }) =>
        state === 'open' && !labels.some((label) => policy.development.exemptLabels.includes(label)),
    )
    .map(({ number, title, url }) => ({
      code: 'issue_open',
      detail: `Issue #${number} "${title}" is still open.`,
      actor: 'team',
      url,
    }));
}

/** The checks count at the candidate; of commits that are the same candidate only what failed does. */
export function checksAt(
  candidateSha: Sha | null,
  candidateShas: readonly Sha[],
  required: Policy['testing']['requiredChecks'],
  facts: ConsultedFacts,
): readonly Condition[] {
  if (required.length === 0) return [];
  return candidateShas.flatMap((sha) => {
    const checks = facts.read('checks', sha);
    if (!checks) return [unread('the checks of the candidate')];
    const unmet = unmetChecks(required, checks);
    return sha === candidateSha ? unmet : unmet.filter(({ code }) => code === 'check_failing');
  });
}

/** Why there are no rules to go by. */
export function policyConditions(state: PolicyState | undefined): readonly Condition[] {
  if (state?.status === 'valid') return [];
  if (!state) return [unread('sdlc.yaml')];
  if (state.status === 'missing') {
    return [{ code: 'policy_missing', detail: `There is no sdlc.yaml on ${state.defaultBranch}.`, actor: 'team' }];
  }
  if (state.problems.length === 0)
    return [{ code: 'policy_invalid', detail: 'sdlc.yaml is not valid.', actor: 'team' }];
  return state.problems.map(({ line, key, message }) => ({
    code: 'policy_invalid',
    detail: `sdlc.yaml${line === null ? '' : `, line ${line}`}${key === '' ? '' : `, ${key}`}: ${message}`,
    actor: 'team',
  }));
}

/** What keeps a release in its last stage but one. */
export const notDeployed = ({ deployment }: Policy): Condition => ({
  code: 'not_deployed',
  detail: `The candidate was not deployed to ${deployment.target} yet.`,
  actor: 'deployer',
});
