import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { ActiveReleases } from './lists/active-releases.reader.js';
import { DashboardController } from './lists/dashboard.controller.js';
import { Dashboard } from './lists/dashboard.service.js';
import { FreezesReader } from './lists/freezes-in-force.reader.js';
import { ReleaseCardBatches } from './lists/release-card-batches.service.js';
import { ReleaseCards } from './lists/release-cards.reader.js';
import { ReleaseListController } from './lists/release-list.controller.js';
import { ReleaseList } from './lists/release-list.service.js';
import { ReleaseVersions } from './lists/release-versions.reader.js';
import { ShownReleases } from './lists/stale-releases.service.js';
import { ReleasesModule } from './releases.module.js';
import { ShownReleaseJobs } from './shown-release-jobs.js';

@Module({
  imports: [ReleasesModule, ReposModule],
  controllers: [DashboardController, ReleaseListController],
  providers: [
    ActiveReleases,
    Dashboard,
    FreezesReader,
    JsonListStream,
    ReleaseCardBatches,
    ReleaseCards,
    ReleaseList,
    ReleaseVersions,
    ShownReleaseJobs,
    ShownReleases,
  ],
  exports: [Dashboard, FreezesReader, ReleaseCards, ShownReleases],
})
export class DashboardModule {}
