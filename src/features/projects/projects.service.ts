import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { isCalendarDay } from '../../domain/policy/calendar-day.js';
import type { Project, ProjectDetails } from './project.js';
import { ProjectLinksRepository } from './project-links.repository.js';
import { holdsHiddenRepository, nameTaken, noSuchDay, noSuchProject, tooManyProjects } from './project-refusal.js';
import { ProjectsRepository } from './projects.repository.js';
import { ShownProjects } from './shown-projects.service.js';

/** How many projects a workspace may have. */
const MAX_PROJECTS = 1_000;

/** What is to be said of a project from now on; what is absent stays as it is. */
type ProjectChanges = Partial<ProjectDetails>;

/** Makes, changes and deletes the projects of a workspace. */
@Injectable()
export class Projects {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly shown: ShownProjects,
    private readonly clock: Clock,
  ) {}

  /** Throws `conflict` where another one has the name, or the workspace as many as it may. */
  async create({ viewer }: Member, details: ProjectDetails): Promise<Project> {
    const [id, wanted] = [randomUUID(), tidied(details)];
    return this.database.asViewer(viewer, async (tx) => {
      await this.projects.holdNames(tx);
      if ((await this.projects.count(tx)) >= MAX_PROJECTS) throw tooManyProjects(MAX_PROJECTS);
      if (await this.projects.isTaken(tx, wanted.name, id)) throw nameTaken();
      await this.projects.add(tx, id, wanted, this.clock.now());
      return this.shown.get(tx, id);
    });
  }

  /**
   * Of two changes at once each keeps what it names, and of the same the later one stays. Throws `not_found`, and
   * `conflict` where another project has the name.
   */
  async change({ viewer }: Member, id: string, changes: ProjectChanges): Promise<Project> {
    if (!isUuid(id)) throw noSuchProject();
    return this.database.asViewer(viewer, async (tx) => {
      if (changes.name !== undefined) await this.projects.holdNames(tx);
      const known = await this.projects.hold(tx, id);
      if (!known) throw noSuchProject();
      const { name = known.name, description = known.description, targetDate = known.targetDate } = changes;
      const wanted = tidied({ name, description, targetDate });
      if (changes.name !== undefined && (await this.projects.isTaken(tx, wanted.name, id))) throw nameTaken();
      if (!isDeepStrictEqual(wanted, known)) await this.projects.update(tx, id, wanted, this.clock.now());
      return this.shown.get(tx, id);
    });
  }

  /**
   * Takes the project away, and nothing of what was linked to it. Throws `not_found`, and `forbidden` where it has a
   * repository that the member may not read: others made it for what is hidden here.
   */
  async remove({ viewer, orgId }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchProject();
    let readable: readonly string[] = [];
    for (;;) {
      const known = readable;
      readable = await this.database.asViewer(viewer, (tx) => this.links.listRepositories(tx, id));
      const unread = await this.database.inTenant(orgId, async (tx) => {
        // A request that links a repository holds the project too.
        if (!(await this.projects.hold(tx, id))) throw noSuchProject();
        const linked = await this.links.listRepositories(tx, id);
        const others = linked.filter((repositoryId) => !readable.includes(repositoryId));
        if (others.length === 0) await this.projects.remove(tx, id);
        return others;
      });
      if (unread.length === 0) return;
      // What was linked since it was read may be readable: it is read again as long as that tells of more.
      if (readable.every((repositoryId) => known.includes(repositoryId))) throw holdsHiddenRepository();
    }
  }
}

/** White space around a text is no part of it, and a description of nothing else is none. */
function tidied({ name, description, targetDate }: ProjectDetails): ProjectDetails {
  if (targetDate !== null && !isCalendarDay(targetDate)) throw noSuchDay();
  return { name: name.trim(), description: description?.trim() || null, targetDate };
}
