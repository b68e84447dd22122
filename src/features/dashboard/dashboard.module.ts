import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { ActiveReleases } from './active-releases.reader.js';
import { DashboardController } from './dashboard.controller.js';
import { Dashboard } from './dashboard.service.js';
import { FreezesReader } from './freezes-in-force.reader.js';
import { ReleaseCardBatches } from './release-card-batches.service.js';
import { ReleaseCards } from './release-cards.reader.js';
import { ReleaseListController } from './release-list.controller.js';
import { ReleaseList } from './release-list.service.js';
import { ReleaseVersions } from './release-versions.reader.js';
import { ShownReleaseJobs } from './shown-release-jobs.js';
import { ShownReleases } from './shown-releases.recorder.js';

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
