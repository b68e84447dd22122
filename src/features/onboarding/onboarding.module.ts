import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { HostTokensModule } from '../host-tokens/host-tokens.module.js';
import { ProtectionModule } from '../protection/protection.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { BootstrapClaims } from './bootstrap-claims.recorder.js';
import { BootstrapClosure } from './bootstrap-closure.service.js';
import { BootstrapHost } from './bootstrap-host.service.js';
import { BootstrapMerge } from './bootstrap-merge.service.js';
import { BootstrapOpening } from './bootstrap-opening.service.js';
import { BootstrapPlaces } from './bootstrap-places.recorder.js';
import { BootstrapPulls } from './bootstrap-pulls.service.js';
import { BootstrapPursuit } from './bootstrap-pursuit.service.js';
import { BootstrapController } from './bootstrap.controller.js';
import { Bootstrap } from './bootstrap.service.js';
import { BootstrapsRepository } from './bootstraps.repository.js';
import { SetupStateModule } from './setup-state.module.js';
import { WorkflowsAtMerge } from './workflows-at-merge.service.js';

@Module({
  imports: [
    AuditModule,
    EventsModule,
    HostTokensModule,
    ProtectionModule,
    ReleasesModule,
    ReposModule,
    SetupStateModule,
    WorkflowsModule,
    WorkspacesModule,
  ],
  controllers: [BootstrapController],
  providers: [
    Bootstrap,
    BootstrapClaims,
    BootstrapClosure,
    BootstrapHost,
    BootstrapMerge,
    BootstrapOpening,
    BootstrapPlaces,
    BootstrapPulls,
    BootstrapPursuit,
    BootstrapsRepository,
    WorkflowsAtMerge,
  ],
})
export class OnboardingModule {}
