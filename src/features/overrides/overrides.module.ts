import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BreakGlassController } from './break-glass.controller.js';
import { BrokenGlass } from './break-glass.service.js';
import { FreezesController } from './freezes.controller.js';
import { FreezesRepository, WorkspaceDoubt } from './freezes.repository.js';
import { Freezes } from './freezes.service.js';
import { WorkspaceJudgement } from './overrides.jobs.js';
import { ActsRepository } from './overrides.repository.js';
import { TwoPersonActs } from './two-person-approval.service.js';
import { WaiversController } from './waivers.controller.js';
import { Waivers } from './waivers.service.js';

@Module({
  imports: [AuditModule, EventsModule, AccountsModule, ReleasesModule],
  controllers: [FreezesController, WaiversController, BreakGlassController],
  providers: [
    ActsRepository,
    BrokenGlass,
    Freezes,
    FreezesRepository,
    TwoPersonActs,
    Waivers,
    WorkspaceDoubt,
    WorkspaceJudgement,
  ],
})
export class OverridesModule {}
