import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import { FreezesReader } from '../dashboard/freezes-in-force.reader.js';
import { ReleaseCards } from '../dashboard/release-cards.reader.js';
import { ShownReleases } from '../dashboard/shown-releases.recorder.js';
import type { Project } from './project.js';
import { ProjectCards } from './project-cards.reader.js';
import { noSuchProject } from './project-refusal.js';

/** Projects by what is stored of their releases; what of that is too old is read again in the background. */
@Injectable()
export class ShownProjects {
  constructor(
    private readonly cards: ProjectCards,
    private readonly freezes: FreezesReader,
    private readonly releases: ReleaseCards,
    private readonly shown: ShownReleases,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` where the workspace has none. */
  async get(tx: TenantTx, id: string): Promise<Project> {
    const [project] = await this.list(tx, [id]);
    if (!project) throw noSuchProject();
    return project;
  }

  /** Those of the projects that there are, in the order of the ids. */
  async list(tx: TenantTx, ids: readonly string[]): Promise<readonly Project[]> {
    const now = this.clock.now();
    const freezes = await this.freezes.listInForce(tx, now);
    const aged = await this.cards.listAged(tx, ids, now);
    await this.shown.askForRefresh(tx, await this.releases.listDated(tx, aged, freezes, now));
    return this.cards.list(tx, ids, { freezes, now });
  }
}
