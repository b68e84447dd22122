import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { EventsRepository } from '../../events/events.repository.js';
import { repositoryNotFound } from '../../http/errors/domain-error.js';
import { ProjectViewService } from './project-view.service.js';
import type { ProjectDto } from './projects.dto.js';
import { projectNotFound, repositoryLimitReached, notLinked, noSuchRelease } from './projects.errors.js';
import { ProjectsRepository, type ProjectLink } from './projects.repository.js';

/** The maximum number of repositories of a project. */
const MAX_REPOSITORIES = 100;
/** Changes the repositories of projects, and their releases. */
@Injectable()
export class ProjectLinksService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly visibleProjects: ProjectViewService,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a repository to a project or replaces its release. Throws `not_found` if the project, repository or release does not
   * exist or the user cannot read it, `conflict` if the project has the maximum number of repositories.
   */
  async link({ viewer, orgId }: Member, link: ProjectLink): Promise<ProjectDto> {
    const { projectId, repositoryId } = link;
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw repositoryNotFound();
    await this.database.asViewer(viewer, (tx) => this.assertVisible(tx, link));
    // Runs without a viewer, because repositories that the user cannot read count towards the limit too.
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.projects.upsertLink(tx, link))) return;
      if ((await this.projects.countRepositories(tx, projectId)) > MAX_REPOSITORIES)
        throw repositoryLimitReached(MAX_REPOSITORIES);
      await this.recordChange(tx, projectId);
    });
    return this.database.asViewer(viewer, (tx) => this.visibleProjects.getIn(tx, projectId));
  }

  /** Throws `not_found` if the project has no such repository that the user can read. */
  async unlink({ viewer }: Member, projectId: string, repositoryId: string): Promise<void> {
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw notLinked();
    await this.database.asViewer(viewer, async (tx) => {
      // Locks the project before the link, as all transactions do, to prevent deadlocks.
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.projects.deleteLink(tx, projectId, repositoryId))) throw notLinked();
      await this.recordChange(tx, projectId);
    });
  }

  private async recordChange(tx: TenantTransaction, projectId: string): Promise<void> {
    await this.projects.touch(tx, projectId, this.clock.now());
    await this.events.append(tx, { type: 'workspace.updated', what: 'projects' });
  }

  private async assertVisible(tx: TenantTransaction, link: ProjectLink): Promise<void> {
    const target = await this.projects.findLinkTarget(tx, link);
    if (!target) throw repositoryNotFound();
    if (link.releaseId !== null && !target.hasRelease) throw noSuchRelease();
  }
}
