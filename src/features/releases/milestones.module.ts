import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EvidencePullReopening } from './actions/evidence-pull-reopening.service.js';
import { MilestoneHost } from './actions/milestone-host.service.js';
import { ReleaseMaking } from './actions/release-making.service.js';
import { ReleaseReading } from './actions/release-reading.service.js';
import { ReleaseStart } from './actions/release-start.service.js';
import { ReleaseStarts } from './actions/release-starts.recorder.js';
import { MilestonesController } from './actions/releases.controller.js';
import { DashboardModule } from './dashboard.module.js';
import { LiveFacts } from './details/live-facts.reader.js';
import { LiveLook } from './details/live-look.service.js';
import { ReleaseViewController } from './details/release-details.controller.js';
import { ReleaseDetailsReader } from './details/release-details.reader.js';
import { ReleaseView } from './details/release-details.service.js';
import { ShippedScope } from './details/shipped-scope.reader.js';
import { TransitionLog } from './details/transition-log.reader.js';
import { ReleaseCardView } from './lists/release-card-view.service.js';
import { ObservationsModule } from './observations.module.js';
import { VisibleReleases } from './records/visible-releases.reader.js';
import { ReleasesModule } from './releases.module.js';

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
