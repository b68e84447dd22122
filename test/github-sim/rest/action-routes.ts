import { workflowJobView } from '../views/workflow-run-view.js';
import { notFound } from './api-error.js';
import { repositoryRoute, type Route } from './route.js';

export const actionRoutes: readonly Route[] = [
  repositoryRoute('GET', '/actions/runs/:run/jobs', 'actions:read', (call) => {
    const run = call.repository.workflowRuns.find(call.number('run'));
    if (!run) throw notFound();
    const jobs = call.query('filter') === 'all' ? run.jobs : run.jobsOf(run.attempt);
    return call.page(jobs, workflowJobView, (visible, total) => ({ total_count: total, jobs: visible }));
  }),
];
