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
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import { FactHints } from '../facts/fact-hints.repository.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import {
  githubUnavailable,
  milestoneWithoutRelease,
  milestoneExists,
  notAVersion,
  githubRejected,
  releaseExists,
  githubTokenRejected,
} from './release-actions.errors.js';

/** A release that somebody wants. */
export interface NewRelease {
  readonly repositoryId: string;
  readonly version: string;
  readonly description: string | null;
  readonly dueOn: Date | null;
}

/** Makes releases, each of which is a milestone on GitHub first. Makes milestones on GitHub as the person who asks: GitHub decides whether they may, and its history names them. */
@Injectable()
export class ReleaseCreationService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly policies: ObservationsRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly hints: FactHints,
    private readonly audit: AuditRepository,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /**
   * Answers its id. Of two who want the same at once one gets it, because GitHub has no two milestones of one title; where
   * the service dies on the way, the release is made by what GitHub tells of its milestone.
   */
  async create({ viewer, orgId, person }: Member, wanted: NewRelease): Promise<string> {
    const { repositoryId, version, description, dueOn } = wanted;
    const ref = await this.reach(viewer, wanted);
    const readNumber = await this.hints.next();
    const told = await this.make(ref, person, { title: version, description, dueOn });
    return this.database.inTenant(orgId, async (tx) => {
      await this.discovery.upsertFromGitHub(tx, repositoryId, told, readNumber);
      const releaseId = await this.releases.findByVersion(tx, repositoryId, version);
      if (releaseId === null) throw milestoneWithoutRelease(version);
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'release.made',
        subject: version,
        data: { milestoneId: releaseId, repositoryId, milestoneNumber: told.value.number },
        repositoryIds: [repositoryId],
      });
      return releaseId;
    });
  }

  /** What can be told to be in vain without GitHub is refused before it is asked. */
  private async reach(viewer: Viewer, { repositoryId, version }: NewRelease): Promise<RepositoryRef> {
    return this.database.asViewer(viewer, async (tx) => {
      const repository = await this.repos.find(tx, repositoryId);
      if (!repository || repository.removed) throw repositoryNotFound();
      const naming = (await this.policies.find(tx, repositoryId))?.releaseNaming ?? DEFAULT_POLICY.releaseNaming;
      if (!isReleaseVersion(version, naming)) throw notAVersion(version, naming);
      if ((await this.releases.findByVersion(tx, repositoryId, version)) !== null) throw releaseExists(version);
      if (!repository.ref) throw appNotInstalled();
      return repository.ref;
    });
  }

  /** Refuses with `conflict` where one is called so already, and with `forbidden` where the person may make none. */
  async make(ref: RepositoryRef, person: User, wanted: NewMilestone): Promise<Observed<MilestoneFact>> {
    const as = await this.tokenOf(person);
    const observedAt = this.clock.now();
    try {
      return { value: await this.github.milestones.create({ ...ref, as }, wanted), observedAt };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.kind === 'conflict') throw milestoneExists(wanted.title);
      if (error.kind === 'unauthorized') throw githubTokenRejected();
      if (error.kind === 'rate_limited') throw githubUnavailable(error, this.clock.now());
      if (!error.isTransient) throw githubRejected(error);
      return this.findMade(ref, wanted, error);
    }
  }

  private async tokenOf({ id }: User): Promise<PersonalToken> {
    try {
      const token = await this.tokens.findAccessToken(id);
      if (token !== null) return new PersonalToken(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, this.clock.now());
    }
    throw githubTokenRejected();
  }

  /** An answer that was lost may have been a yes: then there is a milestone by now that says what this one was to say. */
  private async findMade(
    ref: RepositoryRef,
    wanted: NewMilestone,
    lost: GitHubError,
  ): Promise<Observed<MilestoneFact>> {
    const { value: milestones, observedAt } = await this.listAgain(ref);
    const value = milestones.find(({ title }) => title === wanted.title);
    if (!value) throw githubUnavailable(lost, this.clock.now());
    const isTheOne = value.state === 'open' && (value.description ?? '') === (wanted.description ?? '');
    if (!isTheOne) throw milestoneExists(wanted.title);
    return { value, observedAt };
  }

  private async listAgain(ref: RepositoryRef): Promise<Observed<readonly MilestoneFact[]>> {
    try {
      return await this.github.milestones.list(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, this.clock.now(), 'if the milestone was made, its release follows by itself.');
    }
  }
}
