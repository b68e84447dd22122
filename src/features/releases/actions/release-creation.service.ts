import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { MilestoneFact } from '../../../domain/facts/facts.js';
import { DEFAULT_POLICY } from '../../../domain/policy/policy.js';
import { isReleaseVersion } from '../../../domain/policy/release-version.js';
import type { NewMilestone } from '../../../github/api/milestones.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { Observed } from '../../../github/transport/github-clock.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { repositoryNotFound, appNotInstalled } from '../../../http/errors/domain-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import { FactHintsRepository } from '../facts/fact-hints.repository.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import {
  milestoneWithoutRelease,
  milestoneExists,
  notAVersion,
  milestoneRejected,
  releaseExists,
  githubTokenRejected,
} from '../releases.errors.js';

/** The release that a member wants to create. */
export interface NewRelease {
  readonly repositoryId: string;
  readonly version: string;
  readonly description: string | null;
  readonly dueOn: Date | null;
}

/**
 * Creates releases. Each starts as a GitHub milestone, created in the name of the user: GitHub checks the permission and shows
 * the user as the creator.
 */
@Injectable()
export class ReleaseCreationService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly hints: FactHintsRepository,
    private readonly audit: AuditLogService,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the id of the release. Of two concurrent calls for the same version one succeeds, because GitHub allows a milestone
   * title once. If the process stops in between, the webhook delivery of the milestone creates the release.
   */
  async create({ viewer, orgId, user }: Member, input: NewRelease): Promise<string> {
    const { repositoryId, version, description, dueOn } = input;
    const ref = await this.assertCreatable(viewer, input);
    const readNumber = await this.hints.next();
    const created = await this.createMilestone(ref, user, { title: version, description, dueOn });
    return this.database.inTenant(orgId, async (tx) => {
      await this.discovery.upsertFromGitHub(tx, repositoryId, created, readNumber);
      const releaseId = await this.releases.findByVersion(tx, repositoryId, version);
      if (releaseId === null) throw milestoneWithoutRelease(version);
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'release.made',
        subject: version,
        data: { milestoneId: releaseId, repositoryId, milestoneNumber: created.value.number },
        repositoryIds: [repositoryId],
      });
      return releaseId;
    });
  }

  /** Rejects requests that cannot succeed before GitHub is called. */
  private async assertCreatable(viewer: Viewer, { repositoryId, version }: NewRelease): Promise<RepositoryRef> {
    return this.database.asViewer(viewer, async (tx) => {
      const repository = await this.repos.find(tx, repositoryId);
      if (!repository || repository.removed) throw repositoryNotFound();
      const naming = (await this.observations.find(tx, repositoryId))?.releaseNaming ?? DEFAULT_POLICY.releaseNaming;
      if (!isReleaseVersion(version, naming)) throw notAVersion(version, naming);
      if ((await this.releases.findByVersion(tx, repositoryId, version)) !== null) throw releaseExists(version);
      if (!repository.ref) throw appNotInstalled();
      return repository.ref;
    });
  }

  /** Throws `conflict` if a milestone with this title exists, and `forbidden` if the user may not create one. */
  async createMilestone(ref: RepositoryRef, user: User, input: NewMilestone): Promise<Observed<MilestoneFact>> {
    const as = await this.getToken(user);
    const observedAt = this.clock.earliestNow();
    try {
      return { value: await this.github.milestones.create({ ...ref, as }, input), observedAt };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.kind === 'conflict') throw milestoneExists(input.title);
      if (error.kind === 'unauthorized') throw githubTokenRejected();
      if (error.kind === 'rate_limited') throw githubUnavailable(error, { now: this.clock.now() });
      if (!error.isTransient) throw milestoneRejected(error);
      return this.findCreated(ref, input, error);
    }
  }

  private async getToken({ id }: User): Promise<PersonalToken> {
    try {
      const token = await this.tokens.findAccessToken(id);
      if (token !== null) return new PersonalToken(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, { now: this.clock.now() });
    }
    throw githubTokenRejected();
  }

  /** A request whose response was lost may have succeeded. Then a milestone with the requested values exists now. */
  private async findCreated(
    ref: RepositoryRef,
    input: NewMilestone,
    cause: GitHubError,
  ): Promise<Observed<MilestoneFact>> {
    const { value: milestones, observedAt } = await this.listAgain(ref);
    const value = milestones.find(({ title }) => title === input.title);
    if (!value) throw githubUnavailable(cause, { now: this.clock.now() });
    const isRequested = value.state === 'open' && (value.description ?? '') === (input.description ?? '');
    if (!isRequested) throw milestoneExists(input.title);
    return { value, observedAt };
  }

  private async listAgain(ref: RepositoryRef): Promise<Observed<readonly MilestoneFact[]>> {
    try {
      return await this.github.milestones.list(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, {
        now: this.clock.now(),
        nextStep: 'If the milestone was created, its release follows automatically.',
      });
    }
  }
}
