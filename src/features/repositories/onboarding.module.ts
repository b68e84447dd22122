import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BootstrapClaims } from './bootstrap/bootstrap-claims.recorder.js';
import { BootstrapClosure } from './bootstrap/bootstrap-closure.service.js';
import { BootstrapHost } from './bootstrap/bootstrap-github.service.js';
import { BootstrapMerge } from './bootstrap/bootstrap-merge.service.js';
import { BootstrapOpening } from './bootstrap/bootstrap-opening.service.js';
import { BootstrapPlaces } from './bootstrap/bootstrap-places.recorder.js';
import { BootstrapPulls } from './bootstrap/bootstrap-pulls.service.js';
import { BootstrapController } from './bootstrap/bootstrap.controller.js';
import { BootstrapPursuit } from './bootstrap/bootstrap.jobs.js';
import { Bootstrap } from './bootstrap/bootstrap.service.js';
import { WorkflowsAtMerge } from './bootstrap/workflows-at-merge.service.js';
import { HostTokensModule } from './host-tokens.module.js';
import { ProtectionModule } from './protection.module.js';
import { SetupStateModule } from './setup-state.module.js';
import { BootstrapsRepository } from './setup-state/bootstraps.repository.js';
import { WorkflowsModule } from './workflows.module.js';

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
