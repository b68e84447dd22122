import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { HostTokensModule } from './host-tokens.module.js';
import { AdministratorTokens } from './rulesets/administrator-tokens.service.js';
import { BranchProtection } from './rulesets/branch-protection.service.js';
import { ProtectionOutcomes } from './rulesets/protection-outcomes.recorder.js';
import { ProtectionSetup } from './rulesets/protection-setup.recorder.js';
import { ProtectionWorkReader } from './rulesets/protection-work.reader.js';
import { ProtectionsRepository } from './rulesets/protections.repository.js';
import { RulesetHost } from './rulesets/ruleset-host.service.js';
import { RulesetOrders } from './rulesets/ruleset-orders.service.js';
import { ProtectionController } from './rulesets/rulesets.controller.js';
import { SetupStateModule } from './setup-state.module.js';

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
