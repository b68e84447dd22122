import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ReadableRepositoriesService } from './readable-repositories.service.js';
import { RepositoriesRepository } from './repositories.repository.js';
import { RepositoryQuotaRepository } from './repository-quota.repository.js';
import { FirstReadingReader, InstallationPermissionsQueries, WorkspacesQueries } from './workspaces.queries.js';

/** Which workspaces there are, for whoever must know before it acts in one. Expects the app to provide the database. */
@Module({
  imports: [EventsModule],
  providers: [
    FirstReadingReader,
    InstallationPermissionsQueries,
    RepositoryQuotaRepository,
    RepositoriesRepository,
    ReadableRepositoriesService,
    WorkspacesQueries,
  ],
  exports: [
    FirstReadingReader,
    InstallationPermissionsQueries,
    RepositoryQuotaRepository,
    RepositoriesRepository,
    ReadableRepositoriesService,
    WorkspacesQueries,
  ],
})
export class WorkspacesModule {}
