import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { HostTokensModule } from '../host-tokens/host-tokens.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { SetupStateModule } from '../onboarding/setup-state.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { AdministratorTokens } from './administrator-tokens.service.js';
import { ProtectionOutcomes } from './protection-outcomes.recorder.js';
import { ProtectionSetup } from './protection-setup.recorder.js';
import { ProtectionWorkReader } from './protection-work.reader.js';
import { ProtectionController } from './protection.controller.js';
import { BranchProtection } from './branch-protection.service.js';
import { ProtectionsRepository } from './protections.repository.js';
import { RulesetHost } from './ruleset-host.service.js';
import { RulesetOrders } from './ruleset-orders.service.js';

@Module({
  imports: [
    AuditModule,
    EventsModule,
    HostTokensModule,
    ObservationsModule,
    ReleasesModule,
    ReposModule,
    SetupStateModule,
    WorkspacesModule,
  ],
  controllers: [ProtectionController],
  providers: [
    AdministratorTokens,
    BranchProtection,
    ProtectionOutcomes,
    ProtectionSetup,
    ProtectionWorkReader,
    ProtectionsRepository,
    RulesetHost,
    RulesetOrders,
  ],
  exports: [ProtectionSetup],
})
export class ProtectionModule {}
