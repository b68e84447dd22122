import { Injectable } from '@nestjs/common';
import type { Member, PersonalKeyCaller } from '../../../auth/caller.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import type { ScopeChange } from '../../../domain/release/scope-change.js';
import { EventsRepository } from '../../../events/events.repository.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { releaseNotFound, appNotInstalled } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';

/** The parts of a release that its scope depends on. */
export interface ScopedRelease {
  readonly id: string;
  readonly version: string;
  readonly milestoneNumber: number;
  readonly milestoneGithubId: number;
  readonly shipped: boolean;
  readonly cancelled: boolean;
  readonly repository: Repository & { readonly ref: RepositoryRef };
}

const ACTIONS = {
  link: 'issue.linked',
  unlink: 'issue.unlinked',
  assign: 'issue.assigned',
  unassign: 'issue.unassigned',
} as const;

/** A change of a scope that was requested from GitHub, by whom, and whether GitHub confirmed it. */
export interface ReportedScopeChange {
  readonly caller: Member | PersonalKeyCaller;
  readonly release: ScopedRelease;
  readonly change: ScopeChange;
  readonly confirmed: boolean;
}

/** Records changes of a scope and finds the release to change. */
@Injectable()
export class ScopeRepository {
  constructor(
    private readonly events: EventsRepository,
    private readonly audit: AuditRepository,
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
  ) {}

  async recordChange(
    tx: TenantTransaction,
    { caller, release, change, confirmed }: ReportedScopeChange,
  ): Promise<void> {
    const { id: milestoneId, version, repository } = release;
    await this.events.append(tx, { type: 'release.updated', repositoryId: repository.id, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id: caller.user.id, login: caller.user.login },
      action: ACTIONS[change.action],
      subject: `${repository.org}/${repository.name}#${change.number}`,
      data: {
        milestoneId,
        version,
        repositoryId: repository.id,
        number: change.number,
        confirmed,
        ...('assignee' in change && { assignee: change.assignee }),
        // Recorded so that the actions of a lost key can be found.
        ...('keyId' in caller && { keyId: caller.keyId }),
      },
      repositoryIds: [repository.id],
    });
  }

  /**
   * Throws `not_found` if there is no such release or the user cannot read its repository, and `conflict` if the app cannot reach
   * the repository.
   */
  async getRelease(viewer: Viewer, id: string): Promise<ScopedRelease> {
    if (!isUuid(id)) throw releaseNotFound();
    return this.database.asViewer(viewer, async (tx) => {
      const [row] = await tx.query<Omit<ScopedRelease, 'repository'> & { readonly repositoryId: string }>(
        `select id, repository_id as "repositoryId", version, milestone_number as "milestoneNumber",
           milestone_github_id::float8 as "milestoneGithubId", shipped_at is not null as shipped,
           cancelled_at is not null as cancelled
         from release where id = $1 and deleted_at is null`,
        [id],
      );
      const repository = row && (await this.repos.find(tx, row.repositoryId));
      if (!repository) throw releaseNotFound();
      if (!repository.ref) throw appNotInstalled();
      const { repositoryId: _, ...release } = row;
      return { ...release, repository: { ...repository, ref: repository.ref } };
    });
  }
}
