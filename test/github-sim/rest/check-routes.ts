import type { App } from '../state/app.js';
import type { CheckConclusion, CheckRun, CheckRunEdits, CheckRunOutput } from '../state/check-runs.js';
import type { CommitStatus, StatusState } from '../state/commit-statuses.js';
import type { Repository } from '../state/repository.js';
import { checkRunView } from '../views/check-run-view.js';
import { repositoryView } from '../views/repository-view.js';
import { userView } from '../views/user-view.js';
import { isoDate, nodeId } from '../views/wire.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { findCommit } from './commit-routes.js';
import { refuseLongOutput } from './length-limits.js';
import { created, repositoryRoute, ok, type Route } from './route.js';

export const checkRoutes: readonly Route[] = [
  repositoryRoute('POST', '/check-runs', 'checks:write', (call) => {
    const run = call.repository.checkRuns.create({
      sha: call.requiredText('head_sha'),
      name: call.requiredText('name'),
      app: appOf(call),
      ...editsOf(call),
    });
    return created(checkRunView(run));
  }),
  repositoryRoute('GET', '/check-runs/:id', 'checks:read', (call) => ok(checkRunView(runOf(call)))),
  repositoryRoute('PATCH', '/check-runs/:id', 'checks:write', (call) => {
    const run = runOf(call);
    if (run.app !== appOf(call))
      throw new ApiError(
        403,
        'Invalid app_id `app_id` - check run can only be modified by the GitHub App that created it.',
      );
    call.repository.checkRuns.update(run, editsOf(call));
    return ok(checkRunView(run));
  }),
  repositoryRoute('GET', '/commits/:ref/check-runs', 'checks:read', (call) => {
    const sha = findCommit(call, call.param('ref'));
    const filter = call.query('filter') === 'all' ? 'all' : 'latest';
    const [name, appId, status] = [call.query('check_name'), call.query('app_id'), call.query('status')];
    const runs = call.repository.checkRuns
      .ofCommit(sha, filter)
      .filter(
        (run) =>
          (name === undefined || run.name === name) &&
          (appId === undefined || run.app.id === Number(appId)) &&
          (status === undefined || run.status === status),
      );
    return call.page(runs, checkRunView, (visible, total) => ({ total_count: total, check_runs: visible }));
  }),
  repositoryRoute('GET', '/commits/:ref/status', 'statuses:read', (call) => {
    const sha = findCommit(call, call.param('ref'));
    const statuses = call.repository.statuses.latest(sha);
    return call.page(
      statuses,
      (status) => simpleStatusView(call.repository, status),
      (visible, total) => ({
        state: combinedState(statuses),
        statuses: visible,
        sha,
        total_count: total,
        repository: repositoryView(call.repository),
        commit_url: `${call.repository.apiUrl}/commits/${sha}`,
        url: `${call.repository.apiUrl}/commits/${sha}/status`,
      }),
    );
  }),
  repositoryRoute('POST', '/statuses/:sha', 'statuses:write', (call) => {
    const state = call.requiredText('state');
    if (!['error', 'failure', 'pending', 'success'].includes(state)) throw invalid({ field: 'state', code: 'invalid' });
    const status = call.repository.statuses.set({
      sha: call.param('sha'),
      state: state as StatusState,
      context: call.text('context') ?? 'default',
      description: call.text('description') ?? null,
      targetUrl: call.text('target_url') ?? null,
      by: call.actor,
    });
    return created({ ...simpleStatusView(call.repository, status), creator: userView(status.creator) });
  }),
];

/** Only an app can create check runs. The token of a user cannot. */
function appOf({ caller }: RepositoryCall): App {
  if (caller.kind === 'installation') return caller.installation.app;
  throw new ApiError(403, 'You must authenticate via a GitHub App.');
}

function runOf(call: RepositoryCall): CheckRun {
  const run = call.repository.checkRuns.find(call.number('id'));
  if (!run) throw notFound();
  return run;
}

function editsOf(call: RepositoryCall): CheckRunEdits {
  const [name, status, conclusion] = [call.text('name'), call.text('status'), call.text('conclusion')];
  const [detailsUrl, externalId] = [call.text('details_url'), call.text('external_id')];
  const output = call.fields['output'] as Partial<CheckRunOutput> | undefined;
  if (output) refuseLongOutput(output);
  if (status === 'completed' && conclusion === undefined) throw invalid({ field: 'conclusion', code: 'missing_field' });
  return {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status: status as CheckRun['status'] }),
    ...(conclusion !== undefined && { conclusion: conclusion as CheckConclusion }),
    ...(detailsUrl !== undefined && { detailsUrl }),
    ...(externalId !== undefined && { externalId }),
    ...(output && { output }),
  };
}

/** The combined state is pending if there is no status. */
function combinedState(statuses: readonly CommitStatus[]): 'failure' | 'pending' | 'success' {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return statuses.length > 0 && statuses.every(({ state }) => state === 'success') ? 'success' : 'pending';
}

function simpleStatusView(repository: Repository, status: CommitStatus) {
  const { id, sha, state, context, description, targetUrl, createdAt } = status;
  return {
    url: `${repository.apiUrl}/statuses/${sha}`,
    avatar_url: `${repository.state.url}/avatars/${status.creator.id}`,
    id,
    node_id: nodeId('Status', id),
    state,
    description,
    target_url: targetUrl,
    context,
    created_at: isoDate(createdAt),
    updated_at: isoDate(createdAt),
  };
}
