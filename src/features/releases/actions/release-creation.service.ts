import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import type { Person } from '../../../auth/user.js';
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
import { noSuchRepository, notReached } from '../../../http/errors/domain-error.js';
import { ReposReader } from '../../../workspaces/repositories.repository.js';
import { UserTokens } from '../../accounts/users/user-tokens.service.js';
import { AuditRecorder } from '../../audit/audit.repository.js';
import { ReleaseDiscovery } from '../discovery/release-discovery.service.js';
import { FactHints } from '../facts/fact-hints.repository.js';
import { KnownPolicyReader } from '../facts/observations.repository.js';
import { ReleasesReader } from '../records/releases.queries.js';
import {
  hostIsAway,
  madeButNoRelease,
  milestoneExists,
  notAVersion,
  refusedByHost,
  releaseExists,
  signInAgain,
} from './release-actions.errors.js';

/** Makes milestones on GitHub as the person who asks: GitHub decides whether they may, and its history names them. */
@Injectable()
export class MilestoneHost {
  constructor(
    private readonly tokens: UserTokens,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `conflict` where one is called so already, and with `forbidden` where the person may make none. */
  async make(ref: RepositoryRef, person: Person, wanted: NewMilestone): Promise<Observed<MilestoneFact>> {
    const as = await this.tokenOf(person);
    const observedAt = this.clock.now();
    try {
      return { value: await this.github.milestones.create({ ...ref, as }, wanted), observedAt };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.kind === 'conflict') throw milestoneExists(wanted.title);
      if (error.kind === 'unauthorized') throw signInAgain();
      if (error.kind === 'rate_limited') throw hostIsAway(error, this.clock.now());
      if (!error.isPassing) throw refusedByHost(error);
      return this.findMade(ref, wanted, error);
    }
  }

  private async tokenOf({ id }: Person): Promise<PersonalToken> {
    try {
      const token = await this.tokens.tokenOf(id);
      if (token !== null) return new PersonalToken(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw hostIsAway(error, this.clock.now());
    }
    throw signInAgain();
  }

  /** An answer that was lost may have been a yes: then there is a milestone by now that says what this one was to say. */
  private async findMade(
    ref: RepositoryRef,
    wanted: NewMilestone,
    lost: GitHubError,
  ): Promise<Observed<MilestoneFact>> {
    const { value: milestones, observedAt } = await this.listAgain(ref);
    const value = milestones.find(({ title }) => title === wanted.title);
    if (!value) throw hostIsAway(lost, this.clock.now());
    const isTheOne = value.state === 'open' && (value.description ?? '') === (wanted.description ?? '');
    if (!isTheOne) throw milestoneExists(wanted.title);
    return { value, observedAt };
  }

  private async listAgain(ref: RepositoryRef): Promise<Observed<readonly MilestoneFact[]>> {
    try {
      return await this.github.milestones.list(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw hostIsAway(error, this.clock.now(), 'if the milestone was made, its release follows by itself.');
    }
  }
}

/** A release that somebody wants. */
export interface WantedRelease {
  readonly repositoryId: string;
  readonly version: string;
  readonly description: string | null;
  readonly dueOn: Date | null;
}

/** Makes releases, each of which is a milestone on GitHub first. */
@Injectable()
export class ReleaseMaking {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly policies: KnownPolicyReader,
    private readonly releases: ReleasesReader,
    private readonly host: MilestoneHost,
    private readonly discovery: ReleaseDiscovery,
    private readonly hints: FactHints,
    private readonly audit: AuditRecorder,
  ) {}

  /**
   * Answers its id. Of two who want the same at once one gets it, because GitHub has no two milestones of one title; where
   * the service dies on the way, the release is made by what GitHub tells of its milestone.
   */
  async make({ viewer, orgId, person }: Member, wanted: WantedRelease): Promise<string> {
    const { repositoryId, version, description, dueOn } = wanted;
    const ref = await this.reach(viewer, wanted);
    const readNumber = await this.hints.next();
    const told = await this.host.make(ref, person, { title: version, description, dueOn });
    return this.database.inTenant(orgId, async (tx) => {
      await this.discovery.takeTold(tx, repositoryId, told, readNumber);
      const releaseId = await this.releases.findByVersion(tx, repositoryId, version);
      if (releaseId === null) throw madeButNoRelease(version);
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
  private async reach(viewer: Viewer, { repositoryId, version }: WantedRelease): Promise<RepositoryRef> {
    return this.database.asViewer(viewer, async (tx) => {
      const repository = await this.repos.find(tx, repositoryId);
      if (!repository || repository.removed) throw noSuchRepository();
      const naming = (await this.policies.find(tx, repositoryId))?.releaseNaming ?? DEFAULT_POLICY.releaseNaming;
      if (!isReleaseVersion(version, naming)) throw notAVersion(version, naming);
      if ((await this.releases.findByVersion(tx, repositoryId, version)) !== null) throw releaseExists(version);
      if (!repository.ref) throw notReached();
      return repository.ref;
    });
  }
}
