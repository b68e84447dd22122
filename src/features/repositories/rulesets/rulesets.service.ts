import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { isMerged } from '../../../domain/repository/bootstrap.js';
import type { Protection } from '../../../domain/repository/ruleset.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import {
  type InstalledRepository,
  ReadableRepositoriesService,
} from '../../../workspaces/readable-repositories.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { bootstrapNotMerged, patRejected, patRequired } from '../repositories.errors.js';
import { RepositorySetupsService } from '../setup-state/repository-setups.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { BranchProtectionRepository } from './branch-protection.repository.js';
import { ProtectionStateService } from './protection-state.service.js';

/** How long a request waits for GitHub, in milliseconds. */
const ANSWER_MS = 5_000;

/** Configures or repairs the rulesets of a repository for admins, if needed with the personal access token of an administrator. */
@Injectable()
export class RulesetsService {
  constructor(
    private readonly database: Database,
    private readonly readable: ReadableRepositoriesService,
    private readonly setups: RepositorySetupsService,
    private readonly tokens: RepositoryTokensService,
    private readonly states: ProtectionStateService,
    private readonly protections: BranchProtectionRepository,
    private readonly audit: AuditLogService,
    private readonly workspaces: WorkspacesQueries,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Enqueues the job that configures the rulesets and returns their current state. A token is used only if the app lacks the
   * permission, and must belong to an administrator of the repository.
   */
  async configure(caller: Member, repositoryId: string, pat: string | null): Promise<Protection> {
    const { orgId } = caller;
    const repository = await this.getMerged(caller, repositoryId);
    const token = await this.resolveToken(orgId, repository, pat);
    return this.database.inTenant(orgId, async (tx) => {
      if (token !== null) await this.tokens.save(tx, repository.id, token);
      const started = await this.states.enqueueApply(tx, repository.id, { repeat: token !== null });
      if (started) {
        await this.audit.append(tx, {
          actor: { type: 'person', id: caller.user.id, login: caller.user.login },
          action: 'protection.requested',
          subject: `${repository.org}/${repository.name}`,
          data: { withToken: token !== null },
          repositoryIds: [repository.id],
        });
      }
      return (await this.protections.find(tx, repository.id)) ?? { status: 'unknown', detail: null };
    });
  }

  private async getMerged({ orgId, viewer }: Member, id: string): Promise<InstalledRepository> {
    const repository = await this.readable.getInstalled(viewer, id);
    const setup = await this.database.inTenant(orgId, (tx) => this.setups.find(tx, id));
    if (!isMerged(setup?.step ?? null)) throw bootstrapNotMerged();
    return repository;
  }

  /** Returns null if no token is needed or a stored one exists. Throws `unprocessable` if the token is missing or insufficient. */
  async resolveToken(orgId: OrgId, { id, ref }: InstalledRepository, pat: string | null): Promise<string | null> {
    const { administers } = await this.database.inTenant(orgId, (tx) => this.workspaces.getPermissions(tx));
    if (administers) return null;
    if (pat !== null) {
      await this.verifyToken(ref, new PersonalToken(pat));
      return pat;
    }
    if ((await this.tokens.findDecrypted(orgId, id)) === null) throw patRequired('administration');
    return null;
  }

  /** Checks the token as far as possible before its use. Throws `unavailable` if GitHub does not answer. */
  private async verifyToken(ref: RepositoryRef, token: PersonalToken): Promise<void> {
    const { rights } = await this.describe({ ...ref, as: token });
    // A fine-grained token may still lack the permission. Only its use shows that.
    if (rights !== null && !rights.administer) throw patRejected('Its owner does not administer the repository.');
  }

  private async describe(ref: RepositoryRef) {
    try {
      const { value } = await this.github.repositories.find(ref, AbortSignal.timeout(ANSWER_MS));
      if (value) return value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized', 'forbidden'))
        throw patRejected('It is unknown, expired, revoked or not authorized for the organization.');
      if (error instanceof GitHubError) throw githubUnavailable(error);
      throw error;
    }
    throw patRejected('It cannot access the repository.');
  }
}
