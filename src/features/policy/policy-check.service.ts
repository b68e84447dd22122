import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../auth/caller.js';
import { mayUploadFor } from '../../auth/ci-permissions.js';
import { Database } from '../../database/database.js';
import type { PolicyProblem, PolicyState } from '../../domain/policy/policy.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { noSuchRepository, notReached } from '../../http/errors/domain-error.js';
import { asRefusal } from '../../http/errors/github-unavailable.js';
import { type GovernedRepository, ReposReader } from '../../workspaces/repositories.repository.js';
import { PolicyObserver } from './policy-file.service.js';

/** What a commit's `sdlc.yaml` is worth, and why. */
export interface PolicyCheck {
  readonly status: PolicyState['status'];
  readonly problems: readonly PolicyProblem[];
}

const TOO_LARGE: PolicyProblem = { line: null, column: null, key: '', message: 'The file is too large.' };

/** Tells CI whether the rules that a commit states could hold, by the same reading by which they would. */
@Injectable()
export class PolicyChecks {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly policies: PolicyObserver,
  ) {}

  /** At the commit given, else that of the run, else at the head of the default branch. */
  async check(caller: CiCaller, repo: string, sha: string | null): Promise<PolicyCheck> {
    const repository = await this.findAsked(caller, repo);
    const { ref } = repository;
    if (!ref) throw notReached();
    const gitRef = sha ?? (caller.kind === 'identity_token' ? caller.sha : repository.defaultBranch);
    try {
      const state = await this.policies.readAt(ref, gitRef, repository);
      return { status: state.status, problems: state.status === 'invalid' ? state.problems : [] };
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) return { status: 'invalid', problems: [TOO_LARGE] };
      throw asRefusal(error);
    }
  }

  private async findAsked(caller: CiCaller, repo: string): Promise<GovernedRepository> {
    const repository = await this.database.inTenant(caller.orgId, (tx) => this.repos.findByName(tx, repo));
    if (!repository || !mayUploadFor(caller, repository)) throw noSuchRepository();
    return repository;
  }
}
