import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { MembersModule } from '../members/members.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ActsRepository } from './acts.repository.js';
import { BreakGlassController } from './break-glass.controller.js';
import { BrokenGlass } from './break-glass.service.js';
import { FreezesController } from './freezes.controller.js';
import { FreezesRepository } from './freezes.repository.js';
import { Freezes } from './freezes.service.js';
import { TwoPersonActs } from './two-person-acts.recorder.js';
import { VisibleReleases } from './visible-releases.reader.js';
import { WaiversController } from './waivers.controller.js';
import { Waivers } from './waivers.service.js';
import { WorkspaceDoubt } from './workspace-doubt.recorder.js';
import { WorkspaceJudgement } from './workspace-judgement.service.js';

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
