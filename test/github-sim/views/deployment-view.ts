import type { Deployment, DeploymentStatus } from '../state/deployments.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

/** `deployment`. */
export function deploymentView(deployment: Deployment) {
  const { id, repository, sha, ref, environment, description, statuses } = deployment;
  const url = `${repository.apiUrl}/deployments/${id}`;
  return {
    url,
    id,
    node_id: nodeId('Deployment', id),
    sha,
    ref,
    task: 'deploy',
    payload: {},
    original_environment: environment,
    environment,
    description,
    transient_environment: false,
    production_environment: environment === 'production',
    creator: userView(deployment.creator),
    created_at: isoDate(deployment.createdAt),
    updated_at: isoDate(statuses.at(-1)?.createdAt ?? deployment.createdAt),
    statuses_url: `${url}/statuses`,
    repository_url: repository.apiUrl,
    performed_via_github_app: null,
  };
}

/** `deployment-status`. */
export function deploymentStatusView(status: DeploymentStatus) {
  const { id, deployment, state, description, targetUrl } = status;
  const deploymentUrl = `${deployment.repository.apiUrl}/deployments/${deployment.id}`;
  return {
    url: `${deploymentUrl}/statuses/${id}`,
    id,
    node_id: nodeId('DeploymentStatus', id),
    state,
    creator: userView(status.creator),
    description,
    environment: deployment.environment,
    target_url: targetUrl,
    created_at: isoDate(status.createdAt),
    updated_at: isoDate(status.createdAt),
    deployment_url: deploymentUrl,
    repository_url: deployment.repository.apiUrl,
    performed_via_github_app: null,
  };
}
