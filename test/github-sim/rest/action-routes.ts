import type { WorkflowRun } from '../state/workflow-runs.js';
import { holdReviewView, pendingDeploymentView } from '../views/environment-view.js';
import { workflowJobView, workflowRunView } from '../views/workflow-run-view.js';
import { invalid, notAccessible, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { noContent, ok, repositoryRoute, type Route } from './route.js';

const MAX_COMMENT_LENGTH = 1024;

export const actionRoutes: readonly Route[] = [
  repositoryRoute('GET', '/actions/runs', 'actions:read', (call) => {
    const status = call.query('status');
    const runs = call.repository.workflowRuns.list().filter((run) => status === undefined || run.status === status);
    return call.page(
      runs,
      (run) => workflowRunView(run),
      (visible, total) => ({ total_count: total, workflow_runs: visible }),
    );
  }),
  repositoryRoute('GET', '/actions/runs/:run', 'actions:read', (call) => ok(workflowRunView(runOf(call)))),
  repositoryRoute('GET', '/actions/runs/:run/jobs', 'actions:read', (call) => {
    const run = runOf(call);
    const jobs = call.query('filter') === 'all' ? run.jobs : run.jobsOf(run.attempt);
    return call.page(jobs, workflowJobView, (visible, total) => ({ total_count: total, jobs: visible }));
  }),
  repositoryRoute('GET', '/actions/runs/:run/pending_deployments', 'actions:read', (call) =>
    ok(runOf(call).holds.pending().map(pendingDeploymentView)),
  ),
  repositoryRoute('GET', '/actions/runs/:run/approvals', 'actions:read', (call) =>
    ok(runOf(call).holds.reviews.map(holdReviewView)),
  ),
  repositoryRoute('POST', '/actions/runs/:run/deployment_protection_rule', 'deployments:write', review),
];

/** A decision of an app about an environment with its rule, or a report without a decision. */
function review(call: RepositoryCall): Answer {
  const run = runOf(call);
  const environment = call.repository.environments.find(call.requiredText('environment_name'));
  if (!environment) throw notFound();
  const { caller } = call;
  const app = caller.kind === 'installation' ? caller.installation.app : null;
  if (app === null || !environment.rules.some((rule) => rule.app === app)) throw notAccessible();
  const state = call.text('state');
  const comment = state === undefined ? call.requiredText('comment') : (call.text('comment') ?? '');
  if (Array.from(comment).length > MAX_COMMENT_LENGTH) throw invalid({ field: 'comment', code: 'too_long' });
  if (state === undefined) run.holds.report(app, environment, comment);
  else if (state === 'approved' || state === 'rejected') run.holds.decide(app, environment, state, comment);
  else throw invalid({ field: 'state', code: 'invalid' });
  return noContent;
}

function runOf(call: RepositoryCall): WorkflowRun {
  const run = call.repository.workflowRuns.find(call.number('run'));
  if (!run) throw notFound();
  return run;
}
