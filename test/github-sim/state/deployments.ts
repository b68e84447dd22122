import type { Sha } from '../git/git-object.js';
import { deploymentStatusView, deploymentView } from '../views/deployment-view.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

/** GitHub itself sets `waiting` while the reviewers of the environment have not approved a deployment. No caller can post it. */
export type DeploymentState =
  | 'error'
  | 'failure'
  | 'inactive'
  | 'in_progress'
  | 'queued'
  | 'pending'
  | 'success'
  | 'waiting';

export interface DeploymentStatus {
  readonly id: number;
  readonly deployment: Deployment;
  readonly state: DeploymentState;
  readonly description: string;
  readonly targetUrl: string;
  readonly creator: User;
  readonly createdAt: Date;
}

export interface Deployment {
  readonly id: number;
  readonly repository: Repository;
  readonly sha: Sha;
  readonly ref: string;
  readonly environment: string;
  readonly description: string | null;
  readonly creator: User;
  readonly createdAt: Date;
  /** Oldest first. */
  readonly statuses: DeploymentStatus[];
}

interface DeploymentSpec {
  /** A branch, a tag or a SHA. */
  readonly ref: string;
  readonly environment?: string;
  readonly description?: string | null;
  readonly creator?: User;
}

interface DeploymentStatusSpec {
  readonly description?: string;
  readonly autoInactive?: boolean;
  readonly targetUrl?: string;
  readonly by?: User;
}

/** The deployments of a repository with their statuses. */
export class Deployments {
  private readonly deployments: Deployment[] = [];

  constructor(private readonly repository: Repository) {}

  create({ ref, environment = 'production', description = null, ...spec }: DeploymentSpec): Deployment {
    const { state, git, owner } = this.repository;
    const sha = git.resolve(ref);
    if (sha === null) throw new ApiRejection('invalid', `No ref found for: ${ref}`);
    const deployment: Deployment = {
      id: state.nextId(),
      repository: this.repository,
      sha,
      ref,
      environment,
      description,
      creator: spec.creator ?? owner.founder,
      createdAt: state.now(),
      statuses: [],
    };
    this.deployments.push(deployment);
    const payload = { action: 'created', deployment: deploymentView(deployment), workflow: null, workflow_run: null };
    this.repository.emit('deployment', payload, deployment.creator);
    return deployment;
  }

  /**
   * Adds a status. A success makes the earlier successful deployments of the environment inactive, without an event, unless
   * `autoInactive` is false.
   */
  setStatus(deployment: Deployment, state: DeploymentState, spec: DeploymentStatusSpec = {}): DeploymentStatus {
    if (state === 'success' && spec.autoInactive !== false) this.deactivateEarlier(deployment);
    const status = this.append(deployment, state, spec);
    const payload = {
      action: 'created',
      deployment_status: deploymentStatusView(status),
      deployment: deploymentView(deployment),
      check_run: undefined,
      workflow: undefined,
      workflow_run: undefined,
    };
    this.repository.emit('deployment_status', JSON.parse(JSON.stringify(payload)) as object, status.creator);
    return status;
  }

  /** GitHub sends no event. */
  delete(deployment: Deployment): void {
    this.deployments.splice(this.deployments.indexOf(deployment), 1);
  }

  /** Newest first. */
  list(): readonly Deployment[] {
    return this.deployments.toReversed();
  }

  find(id: number): Deployment | null {
    return this.deployments.find((deployment) => deployment.id === id) ?? null;
  }

  private deactivateEarlier(deployment: Deployment): void {
    for (const earlier of this.deployments) {
      const isOther = earlier !== deployment && earlier.environment === deployment.environment;
      if (isOther && earlier.statuses.at(-1)?.state === 'success') this.append(earlier, 'inactive', {});
    }
  }

  private append(deployment: Deployment, state: DeploymentState, spec: DeploymentStatusSpec): DeploymentStatus {
    const status: DeploymentStatus = {
      id: this.repository.state.nextId(),
      deployment,
      state,
      createdAt: this.repository.state.now(),
      description: spec.description ?? '',
      targetUrl: spec.targetUrl ?? `${this.repository.htmlUrl}/deployments`,
      creator: spec.by ?? deployment.creator,
    };
    deployment.statuses.push(status);
    return status;
  }
}
