import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database, type Viewer } from '../../../database/database.js';
import { DEFAULT_POLICY } from '../../../domain/policy/default-policy.js';
import { isReleaseVersion } from '../../../domain/policy/release-version.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { noSuchRepository, notReached } from '../../../http/errors/repository-refusal.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { ReleaseDiscovery } from '../discovery/release-discovery.service.js';
import { FactHints } from '../facts/fact-hints.repository.js';
import { KnownPolicyReader } from '../facts/known-policy.reader.js';
import { ReleasesReader } from '../records/releases.reader.js';
import { MilestoneHost } from './milestone-host.service.js';
import { madeButNoRelease, notAVersion, releaseExists } from './release-actions.errors.js';

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
