import type { Deployment, DeploymentState } from '../state/deployments.js';
import { deploymentStatusView, deploymentView } from '../views/deployment-view.js';
import { invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { created, repositoryRoute, ok, type Route } from './route.js';

const STATES = new Set(['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']);

export const deploymentRoutes: readonly Route[] = [
  repositoryRoute('GET', '/deployments', 'deployments:read', (call) => {
    const [environment, sha, ref] = [call.query('environment'), call.query('sha'), call.query('ref')];
    const matching = call.repository.deployments
      .list()
      .filter(
        (one) =>
          (environment === undefined || one.environment === environment) &&
          (sha === undefined || one.sha === sha) &&
          (ref === undefined || one.ref === ref),
      );
    return call.page(matching, deploymentView);
  }),
  repositoryRoute('POST', '/deployments', 'deployments:write', (call) => {
    const deployment = call.repository.deployments.create({
      ref: call.requiredText('ref'),
      environment: call.text('environment') ?? 'production',
      description: call.text('description') ?? null,
      creator: call.actor,
    });
    return created(deploymentView(deployment));
  }),
  repositoryRoute('GET', '/deployments/:id', 'deployments:read', (call) => ok(deploymentView(deploymentOf(call)))),
  repositoryRoute('GET', '/deployments/:id/statuses', 'deployments:read', (call) =>
    call.page(deploymentOf(call).statuses.toReversed(), deploymentStatusView),
  ),
  repositoryRoute('POST', '/deployments/:id/statuses', 'deployments:write', (call) => {
    const state = call.requiredText('state');
    if (!STATES.has(state)) throw invalid({ field: 'state', code: 'invalid' });
    const [description, targetUrl] = [call.text('description'), call.text('log_url') ?? call.text('target_url')];
    const status = call.repository.deployments.setStatus(deploymentOf(call), state as DeploymentState, {
      by: call.actor,
      ...(description !== undefined && { description }),
      ...(targetUrl !== undefined && { targetUrl }),
    });
    return created(deploymentStatusView(status));
  }),
];

function deploymentOf(call: RepositoryCall): Deployment {
  const deployment = call.repository.deployments.find(call.number('id'));
  if (!deployment) throw notFound();
  return deployment;
}
