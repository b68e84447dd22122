import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { DEFAULT_POLICY } from '../../../domain/policy/default-policy.js';
import type { Policy } from '../../../domain/policy/policy.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { KnownPolicyReader } from '../../releases/facts/known-policy.reader.js';
import { WorkflowInstallations } from '../workflow-files/workflow-installation.reader.js';
import type { WatchState } from './watch-state.js';
import { WatchStateRepository } from './watch-state.repository.js';

/** What is watched in a repository. */
export interface Watch {
  readonly repository: GovernedRepository;
  readonly state: WatchState;
  /** The files: those that were seen installed, and those that the service knows to have installed. */
  readonly files: readonly string[];
  /** The rules that say which branches releases are made from. */
  readonly policy: Policy;
}

@Injectable()
export class WatchReader {
  constructor(
    private readonly repos: ReposReader,
    private readonly states: WatchStateRepository,
    private readonly installations: WorkflowInstallations,
    private readonly policies: KnownPolicyReader,
  ) {}

  /** Null where the repository is not a managed one: its gates are closed, whatever its files are. */
  async find(tx: TenantTx, repositoryId: string): Promise<Watch | null> {
    const repository = await this.repos.find(tx, repositoryId);
    if (repository?.managed !== true) return null;
    const state = await this.states.find(tx, repositoryId);
    const installed = (await this.installations.find(tx, repositoryId))?.paths ?? [];
    const policy = (await this.policies.find(tx, repositoryId)) ?? DEFAULT_POLICY;
    return { repository, state, files: [...new Set([...state.files, ...installed])], policy };
  }
}
