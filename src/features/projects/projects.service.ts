import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { isCalendarDay } from '../../domain/policy/freeze.js';
import { EventsRepository } from '../../events/events.repository.js';
import { repositoryNotFound } from '../../http/errors/domain-error.js';
import type { ProjectDto } from './projects.dto.js';
import { type ProjectDetails } from './projects.queries.js';
import { type ProjectLink, ProjectsRepository } from './projects.repository.js';
import {
  projectNotFound,
  projectLimitReached,
  nameTaken,
  projectHasHiddenRepository,
  invalidTargetDate,
  noSuchRelease,
  notLinked,
  repositoryLimitReached,
} from './projects.errors.js';
import { ProjectViewService } from './project-view.service.js';

/** The maximum number of projects of a workspace. */
const MAX_PROJECTS = 1_000;
/** The maximum number of repositories of a project. */
const MAX_REPOSITORIES = 100;

/** The changes of a project. A member that is absent keeps its value. */
type ProjectChanges = Partial<ProjectDetails>;

/** Creates, changes and deletes the projects of a workspace, and links repositories and their releases to them. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly visibleProjects: ProjectViewService,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Throws `conflict` if another project has the name or the workspace has the maximum number of projects. */
  async create({ viewer }: Member, details: ProjectDetails): Promise<ProjectDto> {
    const [id, normalized] = [randomUUID(), normalize(details)];
    return this.database.asViewer(viewer, async (tx) => {
      await this.projects.lockNames(tx);
      if ((await this.projects.count(tx)) >= MAX_PROJECTS) throw projectLimitReached(MAX_PROJECTS);
      if (await this.projects.isTaken(tx, normalized.name, id)) throw nameTaken();
      await this.projects.create(tx, id, normalized, this.clock.now());
      await this.announce(tx);
      return this.visibleProjects.getIn(tx, id);
    });
  }

  /**
   * Changes the given members only, so that concurrent changes of different members are all saved; for the same member the last
   * one wins. Throws `not_found`, and `conflict` if another project has the name.
   */
  async change({ viewer }: Member, id: string, changes: ProjectChanges): Promise<ProjectDto> {
    if (!isUuid(id)) throw projectNotFound();
    return this.database.asViewer(viewer, async (tx) => {
      if (changes.name !== undefined) await this.projects.lockNames(tx);
      const known = await this.projects.lock(tx, id);
      if (!known) throw projectNotFound();
      const { name = known.name, description = known.description, targetDate = known.targetDate } = changes;
      const normalized = normalize({ name, description, targetDate });
      if (changes.name !== undefined && (await this.projects.isTaken(tx, normalized.name, id))) throw nameTaken();
      if (!isDeepStrictEqual(normalized, known)) {
        await this.projects.update(tx, id, normalized, this.clock.now());
        await this.announce(tx);
      }
      return this.visibleProjects.getIn(tx, id);
    });
  }

  /**
   * Deletes the project, but not the linked repositories. Throws `not_found`, and `forbidden` if it has a repository that the
   * member cannot read, because other members use it for that.
   */
  async remove({ viewer, orgId }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw projectNotFound();
    let hidden: readonly string[] = [];
    for (;;) {
      const readable = await this.database.asViewer(viewer, (tx) => this.projects.listRepositories(tx, id));
      const others = await this.database.inTenant(orgId, async (tx) => {
        // A request that links a repository locks the project too.
        if (!(await this.projects.lock(tx, id))) throw projectNotFound();
        const linked = await this.projects.listRepositories(tx, id);
        const found = linked.filter((repositoryId) => !readable.includes(repositoryId));
        if (found.length === 0) {
          await this.projects.delete(tx, id);
          await this.announce(tx);
        }
        return found;
      });
      if (others.length === 0) return;
      // The member may be able to read a repository that was linked after the first read. The next round checks that.
      if (others.some((repositoryId) => hidden.includes(repositoryId))) throw projectHasHiddenRepository();
      hidden = others;
    }
  }

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
      await this.projects.touch(tx, projectId, this.clock.now());
      await this.announce(tx);
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
      await this.projects.touch(tx, projectId, this.clock.now());
      await this.announce(tx);
    });
  }

  private async announce(tx: TenantTransaction): Promise<void> {
    await this.events.append(tx, { type: 'workspace.updated', what: 'projects' });
  }

  private async assertVisible(tx: TenantTransaction, link: ProjectLink): Promise<void> {
    const target = await this.projects.findLinkTarget(tx, link);
    if (!target) throw repositoryNotFound();
    if (link.releaseId !== null && !target.hasRelease) throw noSuchRelease();
  }
}

/** Removes surrounding white space. A blank description becomes null. */
function normalize({ name, description, targetDate }: ProjectDetails): ProjectDetails {
  if (targetDate !== null && !isCalendarDay(targetDate)) throw invalidTargetDate();
  return { name: name.trim(), description: description?.trim() || null, targetDate };
}
