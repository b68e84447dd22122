import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ReadableRepositoriesService } from './readable-repositories.service.js';
import { RepositoriesRepository } from './repositories.repository.js';
import { RepositoryQuotaRepository } from './repository-quota.repository.js';
import { WorkspacesQueries, InstallationPermissionsQueries } from './workspaces.queries.js';

/** Provides the workspaces for code that runs before the tenant is known. Requires the database from the app. */
@Module({
  imports: [EventsModule],
  providers: [
    WorkspacesQueries,
    InstallationPermissionsQueries,
    RepositoryQuotaRepository,
    RepositoriesRepository,
    ReadableRepositoriesService,
  ],
  exports: [
    WorkspacesQueries,
    InstallationPermissionsQueries,
    RepositoryQuotaRepository,
    RepositoriesRepository,
    ReadableRepositoriesService,
  ],
})
export class WorkspacesModule {}
