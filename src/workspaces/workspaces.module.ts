import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ViewedRepositories } from './readable-repositories.service.js';
import { ReposReader } from './repositories.repository.js';
import { PlanRoom } from './repository-quota.repository.js';
import { FirstReadingReader, InstallationTiers, WorkspaceReader } from './workspaces.queries.js';

/** Which workspaces there are, for whoever must know before it acts in one. Expects the app to provide the database. */
@Module({
  imports: [EventsModule],
  providers: [FirstReadingReader, InstallationTiers, PlanRoom, ReposReader, ViewedRepositories, WorkspaceReader],
  exports: [FirstReadingReader, InstallationTiers, PlanRoom, ReposReader, ViewedRepositories, WorkspaceReader],
})
export class WorkspacesModule {}
