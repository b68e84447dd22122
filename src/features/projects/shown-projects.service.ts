import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import { FreezesReader } from '../releases/lists/freezes-in-force.reader.js';
import { type DatedCard, ReleaseCards } from '../releases/lists/release-cards.reader.js';
import { ShownReleases } from '../releases/lists/stale-releases.service.js';
import type { Project } from './project.js';
import { ProjectCards } from './project-cards.reader.js';
import { noSuchProject } from './project-refusal.js';

/** Projects as they were read. */
interface ReadProjects {
  readonly projects: readonly Project[];
  /** Those of their releases that are shown by facts which are too old. */
  readonly aged: readonly DatedCard[];
}

/** Projects by what is stored of their releases. */
@Injectable()
export class ShownProjects {
  constructor(
    private readonly cards: ProjectCards,
    private readonly freezes: FreezesReader,
    private readonly releases: ReleaseCards,
    private readonly shown: ShownReleases,
    private readonly clock: Clock,
  ) {}

  /** What of the project is too old is read again in the background. Throws `not_found` where the workspace has none. */
  async get(tx: TenantTx, id: string): Promise<Project> {
    const { projects, aged } = await this.read(tx, [id]);
    const [project] = projects;
    if (!project) throw noSuchProject();
    await this.shown.askForRefresh(tx, aged);
    return project;
  }

  /** Those of the projects that there are, in the order of the ids; whoever shows them has what is too old read again. */
  async read(tx: TenantTx, ids: readonly string[]): Promise<ReadProjects> {
    const now = this.clock.now();
    const freezes = await this.freezes.listInForce(tx, now);
    const { projects, agedReleaseIds } = await this.cards.listDated(tx, ids, { freezes, now });
    return { projects, aged: await this.releases.listDated(tx, agedReleaseIds, freezes, now) };
  }
}
