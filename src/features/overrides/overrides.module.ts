import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { MembersModule } from '../accounts/members.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { VisibleReleases } from '../releases/records/visible-releases.reader.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BreakGlassController } from './break-glass.controller.js';
import { BrokenGlass } from './break-glass.service.js';
import { FreezesController } from './freezes.controller.js';
import { FreezesRepository } from './freezes.repository.js';
import { Freezes } from './freezes.service.js';
import { WorkspaceJudgement } from './overrides.jobs.js';
import { ActsRepository } from './overrides.repository.js';
import { TwoPersonActs } from './two-person-acts.recorder.js';
import { WaiversController } from './waivers.controller.js';
import { Waivers } from './waivers.service.js';
import { WorkspaceDoubt } from './workspace-doubt.recorder.js';

@Module({
  imports: [AuditModule, EventsModule, MembersModule, ReleasesModule],
  controllers: [FreezesController, WaiversController, BreakGlassController],
  providers: [
    ActsRepository,
    BrokenGlass,
    Freezes,
    FreezesRepository,
    TwoPersonActs,
    VisibleReleases,
    Waivers,
    WorkspaceDoubt,
    WorkspaceJudgement,
  ],
})
export class OverridesModule {}
