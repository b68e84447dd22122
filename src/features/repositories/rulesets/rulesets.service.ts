/** What an admin is told whose order cannot be carried out. */
import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { isMerged } from '../../../domain/repository/bootstrap.js';
import type { Protection } from '../../../domain/repository/ruleset.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import {
  type InstalledRepository,
  ReadableRepositoriesService,
} from '../../../workspaces/readable-repositories.service.js';
import { InstallationPermissionsQueries } from '../../../workspaces/workspaces.queries.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { RepositorySetupsRepository } from '../setup-state/repository-setups.repository.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { BranchProtectionRepository } from './branch-protection.repository.js';
import { ProtectionSetup } from './protection-state.service.js';

const RETRY_AFTER_SECONDS = 10;

const bootstrapNotMerged = (): DomainError =>
  new DomainError(
    'conflict',
    'Branches are protected once the bootstrap pull request of the repository is merged: open it, or merge it, first.',
  );

const tokenNeeded = (why: string): DomainError => new DomainError('unprocessable', `PAT_REQUIRED: ${why}`);

const patRequired = (): DomainError =>
  tokenNeeded(
    'the app may not administer the repository. Send a personal access token of somebody who does as "pat": with the scope "repo", or with "Administration: read and write".',
  );

const patRejected = (): DomainError => tokenNeeded('GitHub does not take this personal access token.');

const patCannotAccessRepository = (): DomainError =>
  tokenNeeded('this personal access token does not reach the repository.');

const patNotAdministrator = (): DomainError =>
  tokenNeeded('whoever this personal access token is of does not administer the repository.');

const githubUnavailable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'GitHub cannot be asked about the personal access token now: try again soon.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

/** How long an admin waits for GitHub's word. */
const ANSWER_MS = 5_000;

/** Lets admins have the rulesets of a repository set up, or mended. Takes personal access tokens of those who administer a repository, where the app itself may not. */
@Injectable()
export class RulesetsService {
  constructor(
    private readonly database: Database,
    private readonly viewed: ReadableRepositoriesService,
    private readonly setups: RepositorySetupsRepository,
    private readonly tokens: RepositoryTokensService,
    private readonly setup: ProtectionSetup,
    private readonly protections: BranchProtectionRepository,
    private readonly audit: AuditRepository,
    private readonly tiers: InstallationPermissionsQueries,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Orders it, and answers how it stands then: a job does it. A token is taken only where the app itself may not do it, and
   * only where GitHub says that it is one of somebody who may.
   */
  async configure(caller: Member, repositoryId: string, pat: string | null): Promise<Protection> {
    const { orgId } = caller;
    const repository = await this.findOrdered(caller, repositoryId);
    const taken = await this.take(orgId, repository, pat);
    return this.database.inTenant(orgId, async (tx) => {
      if (taken !== null) await this.tokens.save(tx, repository.id, taken);
      const begun = await this.setup.request(tx, repository.id, { anew: taken !== null });
      if (begun) {
        await this.audit.append(tx, {
          actor: { type: 'person', id: caller.user.id, login: caller.user.login },
          action: 'protection.requested',
          subject: `${repository.org}/${repository.name}`,
          data: { withToken: taken !== null },
          repositoryIds: [repository.id],
        });
      }
      return (await this.protections.find(tx, repository.id)) ?? { status: 'unknown', detail: null };
    });
  }

  private async findOrdered({ orgId, viewer }: Member, id: string): Promise<InstalledRepository> {
    const repository = await this.viewed.getInstalled(viewer, id);
    const setup = await this.database.inTenant(orgId, (tx) => this.setups.find(tx, id));
    if (!isMerged(setup?.step ?? null)) throw bootstrapNotMerged();
    return repository;
  }

  /** Null where none is needed, or where the one in custody is to be used; refuses with `unprocessable` what does not do. */
  async take(orgId: OrgId, { id, ref }: InstalledRepository, pat: string | null): Promise<string | null> {
    const { administers } = await this.database.inTenant(orgId, (tx) => this.tiers.get(tx));
    if (administers) return null;
    if (pat !== null) {
      await this.prove(ref, new PersonalToken(pat));
      return pat;
    }
    if ((await this.tokens.findDecrypted(orgId, id)) === null) throw patRequired();
    return null;
  }

  /** As far as GitHub tells before it is used; `unavailable` where it does not answer. */
  private async prove(ref: RepositoryRef, token: PersonalToken): Promise<void> {
    const { rights } = await this.describe({ ...ref, as: token });
    // A fine-grained token may still lack the permission: nothing but its use tells.
    if (rights !== null && !rights.administer) throw patNotAdministrator();
  }

  private async describe(ref: RepositoryRef) {
    try {
      const { value } = await this.github.repositories.find(ref, AbortSignal.timeout(ANSWER_MS));
      if (value) return value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized', 'forbidden')) throw patRejected();
      if (error instanceof GitHubError) throw githubUnavailable(error);
      throw error;
    }
    throw patCannotAccessRepository();
  }
}
