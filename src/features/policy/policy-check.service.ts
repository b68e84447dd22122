import { Injectable } from '@nestjs/common';
import { type CiCaller, canUploadTo } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import type { PolicyProblem } from '../../domain/policy/policy.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { repositoryNotFound, appNotInstalled } from '../../http/errors/domain-error.js';
import { toCallerError } from '../../http/errors/github-unavailable.js';
import { type Repository, RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import type { PolicyCheckDto } from './policy-check.dto.js';
import { PolicyFileService } from './policy-file.service.js';

const TOO_LARGE: PolicyProblem = { line: null, column: null, key: '', message: 'The file is too large.' };

/** Checks the policy of a commit with the parser of the effective policy. */
@Injectable()
export class PolicyCheckService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly policies: PolicyFileService,
  ) {}

  /** Checks at the given commit, or else the commit of the run, or else the head of the default branch. */
  async check(caller: CiCaller, repo: string, sha: string | null): Promise<PolicyCheckDto> {
    const repository = await this.findRepository(caller, repo);
    const { ref } = repository;
    if (!ref) throw appNotInstalled();
    const gitRef = sha ?? (caller.kind === 'identity_token' ? caller.sha : repository.defaultBranch);
    try {
      const state = await this.policies.readAt(ref, gitRef, repository);
      return { status: state.status, problems: state.status === 'invalid' ? state.problems : [] };
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) return { status: 'invalid', problems: [TOO_LARGE] };
      throw toCallerError(error);
    }
  }

  private async findRepository(caller: CiCaller, repo: string): Promise<Repository> {
    const repository = await this.database.inTenant(caller.orgId, (tx) => this.repos.findByName(tx, repo));
    if (!repository || !canUploadTo(caller, repository)) throw repositoryNotFound();
    return repository;
  }
}
