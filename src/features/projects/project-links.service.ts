import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTx } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { noSuchRepository } from '../../http/errors/repository-refusal.js';
import type { Project } from './project.js';
import { type ProjectLink, ProjectLinksRepository } from './project-links.repository.js';
import { noSuchProject, noSuchRelease, notLinked, tooManyRepositories } from './project-refusal.js';
import { ProjectsRepository } from './projects.repository.js';
import { ShownProjects } from './shown-projects.service.js';

/** How many repositories a project may have. */
const MAX_REPOSITORIES = 100;

/** Which repositories, and which release of each, belong to a project. */
@Injectable()
export class ProjectLinks {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly shown: ShownProjects,
    private readonly clock: Clock,
  ) {}

  /**
   * Puts a repository into a project, or another release of it in the place of the one that the project awaits. Throws
   * `not_found` for what there is not or the person may not read, `conflict` where the project has as many as it may.
   */
  async link({ viewer, orgId }: Member, link: ProjectLink): Promise<Project> {
    const { projectId, repositoryId } = link;
    if (!isUuid(projectId)) throw noSuchProject();
    if (!isUuid(repositoryId)) throw noSuchRepository();
    await this.database.asViewer(viewer, (tx) => this.refuseUnknown(tx, link));
    // As nobody in particular: repositories that the person may not read count for the limit too.
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.projects.hold(tx, projectId))) throw noSuchProject();
      if (!(await this.links.put(tx, link))) return;
      if ((await this.links.count(tx, projectId)) > MAX_REPOSITORIES) throw tooManyRepositories(MAX_REPOSITORIES);
      await this.projects.touch(tx, projectId, this.clock.now());
    });
    return this.database.asViewer(viewer, (tx) => this.shown.get(tx, projectId));
  }

  /** Throws `not_found` where the project has no such repository that the person may read. */
  async unlink({ viewer }: Member, projectId: string, repositoryId: string): Promise<void> {
    if (!isUuid(projectId)) throw noSuchProject();
    if (!isUuid(repositoryId)) throw notLinked();
    await this.database.asViewer(viewer, async (tx) => {
      // Before the link, as everybody takes them, so that nobody waits for each other.
      if (!(await this.projects.hold(tx, projectId))) throw noSuchProject();
      if (!(await this.links.remove(tx, projectId, repositoryId))) throw notLinked();
      await this.projects.touch(tx, projectId, this.clock.now());
    });
  }

  private async refuseUnknown(tx: TenantTx, link: ProjectLink): Promise<void> {
    const target = await this.links.findTarget(tx, link);
    if (!target) throw noSuchRepository();
    if (link.releaseId !== null && !target.hasRelease) throw noSuchRelease();
  }
}
