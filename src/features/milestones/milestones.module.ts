import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { DashboardModule } from '../dashboard/dashboard.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { VisibleReleases } from '../overrides/visible-releases.reader.js';
import { PeopleModule } from '../people/people.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { EvidencePullReopening } from './evidence-pull-reopening.service.js';
import { LiveFacts } from './live-facts.reader.js';
import { LiveLook } from './live-look.service.js';
import { MilestoneHost } from './milestone-host.service.js';
import { MilestonesController } from './milestones.controller.js';
import { ReleaseCardView } from './release-card-view.service.js';
import { ReleaseDetailsReader } from './release-details.reader.js';
import { ReleaseMaking } from './release-making.service.js';
import { ReleaseReading } from './release-reading.service.js';
import { ReleaseStart } from './release-start.service.js';
import { ReleaseStarts } from './release-starts.recorder.js';
import { ReleaseViewController } from './release-view.controller.js';
import { ReleaseView } from './release-view.service.js';
import { ShippedScope } from './shipped-scope.reader.js';
import { TransitionLog } from './transition-log.reader.js';

@Module({
  imports: [AuditModule, DashboardModule, ObservationsModule, PeopleModule, ReleasesModule, ReposModule],
  controllers: [MilestonesController, ReleaseViewController],
  providers: [
    EvidencePullReopening,
    LiveFacts,
    LiveLook,
    MilestoneHost,
    ReleaseCardView,
    ReleaseDetailsReader,
    ReleaseMaking,
    ReleaseReading,
    ReleaseStart,
    ReleaseStarts,
    ReleaseView,
    ShippedScope,
    TransitionLog,
    VisibleReleases,
  ],
})
export class MilestonesModule {}
