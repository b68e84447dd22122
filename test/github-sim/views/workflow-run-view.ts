import type { Repository } from '../state/repository.js';
import type { WorkflowJob, WorkflowRun } from '../state/workflow-runs.js';
import { repositoryView } from './repository-view.js';
import { userView } from './user-view.js';
import { isoDate, isoDateOrNull, nodeId } from './wire.js';

const WORKFLOW = { id: 7, name: 'CI', path: '.github/workflows/ci.yml' };

/** `job`, which is also the job of a webhook. */
export function workflowJobView({ id, run, name, attempt, status, conclusion, ...times }: WorkflowJob) {
  const { repository } = run;
  return {
    id,
    run_id: run.id,
    workflow_name: WORKFLOW.name,
    head_branch: branchOf(run),
    run_url: `${repository.apiUrl}/actions/runs/${run.id}`,
    run_attempt: attempt,
    node_id: nodeId('CheckRun', id),
    head_sha: run.sha,
    url: `${repository.apiUrl}/actions/jobs/${id}`,
    html_url: `${repository.htmlUrl}/actions/runs/${run.id}/job/${id}`,
    status,
    conclusion,
    created_at: isoDate(times.createdAt),
    started_at: isoDate(times.startedAt),
    completed_at: isoDateOrNull(times.completedAt),
    name,
    steps: [],
    check_run_url: `${repository.apiUrl}/check-runs/${id}`,
    labels: ['ubuntu-latest'],
    runner_id: null,
    runner_name: null,
    runner_group_id: null,
    runner_group_name: null,
  };
}

/** The payload of `workflow_job`. */
export const workflowJobPayload = (action: WorkflowJob['status'], job: WorkflowJob): object => ({
  action,
  workflow_job: workflowJobView(job),
});

/** The payload of `workflow_run`. */
export function workflowRunPayload(action: 'requested' | 'completed', run: WorkflowRun): object {
  const { repository } = run;
  const url = `${repository.apiUrl}/actions/workflows/${WORKFLOW.id}`;
  const times = { created_at: isoDate(repository.createdAt), updated_at: isoDate(repository.createdAt) };
  const workflow = {
    ...WORKFLOW,
    ...times,
    node_id: nodeId('Workflow', WORKFLOW.id),
    state: 'active',
    url,
    html_url: `${repository.htmlUrl}/blob/${repository.defaultBranch}/${WORKFLOW.path}`,
    badge_url: `${repository.htmlUrl}/workflows/CI/badge.svg`,
  };
  return { action, workflow, workflow_run: workflowRunView(run, action) };
}

/** `workflow-run`, which is also the run of a webhook. There its status is the action of the event. */
export function workflowRunView(run: WorkflowRun, status: WorkflowRun['status'] | 'requested' = run.status) {
  const { repository, headRepository, id, sha, number, attempt } = run;
  const url = `${repository.apiUrl}/actions/runs/${id}`;
  const { tree, message, author, committer } = repository.git.store.commit(sha);
  const isWell = run.jobsOf(attempt).every(({ conclusion }) => conclusion === 'success' || conclusion === 'skipped');
  const founder = userView(repository.owner.founder);
  const suite = `${repository.apiUrl}/check-suites/${id}`;
  return {
    id,
    name: WORKFLOW.name,
    node_id: nodeId('WorkflowRun', id),
    head_branch: branchOf(run),
    head_sha: sha,
    path: WORKFLOW.path,
    display_title: message,
    run_number: number,
    event: run.event,
    status,
    conclusion: status === 'completed' ? (isWell ? 'success' : 'failure') : null,
    workflow_id: WORKFLOW.id,
    check_suite_id: id,
    check_suite_node_id: nodeId('CheckSuite', id),
    url,
    html_url: `${repository.htmlUrl}/actions/runs/${id}`,
    pull_requests: [],
    created_at: isoDate(run.createdAt),
    updated_at: isoDate(repository.state.now()),
    actor: founder,
    triggering_actor: founder,
    run_attempt: attempt,
    run_started_at: isoDate(run.createdAt),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: suite,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt === 1 ? null : `${url}/attempts/${attempt - 1}`,
    workflow_url: `${repository.apiUrl}/actions/workflows/${WORKFLOW.id}`,
    head_commit: {
      id: sha,
      tree_id: tree,
      message,
      timestamp: isoDate(run.createdAt),
      author: { name: author.name, email: author.email },
      committer: { name: committer.name, email: committer.email },
    },
    repository: repositoryLite(repository),
    head_repository: repositoryLite(headRepository),
  };
}

/** The repository of a run, without the fields that each push changes. */
function repositoryLite(repository: Repository) {
  const whole: Readonly<Record<string, unknown>> = repositoryView(repository);
  const links = Object.entries(whole).filter(
    ([field]) =>
      field.endsWith('_url') && !['git_url', 'ssh_url', 'clone_url', 'svn_url', 'mirror_url'].includes(field),
  );
  const { id, node_id, name, full_name, private: isPrivate, owner, html_url, description, fork, url } = whole;
  return {
    ...Object.fromEntries(links),
    id,
    node_id,
    name,
    full_name,
    private: isPrivate,
    owner,
    html_url,
    description,
    fork,
    url,
  };
}

export const branchOf = ({ repository, sha }: WorkflowRun): string =>
  [...repository.git.refs].find(([, head]) => head === sha)?.[0].replace('refs/heads/', '') ?? repository.defaultBranch;
