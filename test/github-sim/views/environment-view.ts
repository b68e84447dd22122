import type { Deployment } from '../state/deployments.js';
import type { Environment, ProtectionRule } from '../state/environments.js';
import type { HoldReview, JobHolds } from '../state/job-holds.js';
import type { User } from '../state/user.js';
import type { WorkflowRun } from '../state/workflow-runs.js';
import { deploymentView } from './deployment-view.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';
import { branchOf } from './workflow-run-view.js';

type PendingEnvironment = ReturnType<JobHolds['pending']>[number];

const reviewerView = (user: User) => ({ type: 'User', reviewer: userView(user) });

/** An environment in the lists of pending and decided deployments. */
function environmentReference({ repository, id, name }: Environment) {
  return {
    id,
    node_id: nodeId('Environment', id),
    name,
    url: `${repository.apiUrl}/environments/${encodeURIComponent(name)}`,
    html_url: `${repository.htmlUrl}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
  };
}

const timesOf = ({ createdAt }: Environment) => ({ created_at: isoDate(createdAt), updated_at: isoDate(createdAt) });

/** `environment`. GitHub's responses contain `can_admins_bypass`, and its description lacks it. */
export function environmentView(environment: Environment) {
  const { id, waitMinutes, reviewers, canAdminsBypass } = environment;
  const rule = (type: string) => ({ id, node_id: nodeId('Gate', id), type });
  return {
    ...environmentReference(environment),
    ...timesOf(environment),
    can_admins_bypass: canAdminsBypass,
    protection_rules: [
      ...(waitMinutes === 0 ? [] : [{ ...rule('wait_timer'), wait_timer: waitMinutes }]),
      ...(reviewers.length === 0
        ? []
        : [{ ...rule('required_reviewers'), prevent_self_review: false, reviewers: reviewers.map(reviewerView) }]),
    ],
    deployment_branch_policy: null,
  };
}

/** `deployment-protection-rule`. */
export function protectionRuleView({ id, app }: ProtectionRule) {
  return {
    id,
    node_id: nodeId('Gate', id),
    enabled: true,
    app: {
      id: app.id,
      node_id: nodeId('Integration', app.id),
      slug: app.slug,
      integration_url: `${app.state.url}/apps/${app.slug}`,
    },
  };
}

/** `pending-deployment`. */
export function pendingDeploymentView({ environment, since, isReviewed }: PendingEnvironment) {
  return {
    environment: environmentReference(environment),
    wait_timer: environment.waitMinutes,
    wait_timer_started_at: environment.waitMinutes === 0 ? null : isoDate(since),
    current_user_can_approve: false,
    reviewers: isReviewed ? [] : environment.reviewers.map(reviewerView),
  };
}

/** `environment-approvals`. */
export function holdReviewView({ environment, state, user, comment }: HoldReview) {
  const environments = [{ ...environmentReference(environment), ...timesOf(environment) }];
  return { environments, state, user: userView(user), comment };
}

/** The payload of `deployment_protection_rule`. */
export function protectionRulePayload(run: WorkflowRun, { name }: Environment, deployment: Deployment): object {
  return {
    action: 'requested',
    environment: name,
    event: run.event,
    deployment_callback_url: `${run.repository.apiUrl}/actions/runs/${run.id}/deployment_protection_rule`,
    deployment: deploymentView(deployment),
    pull_requests: [],
    sha: run.sha,
    ref: branchOf(run),
    workflow_run: { id: run.id },
  };
}
