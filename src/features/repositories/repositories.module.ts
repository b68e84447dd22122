import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import {
  BootstrapClosure,
  BootstrapMerge,
  BootstrapPulls,
  WorkflowsAtMerge,
} from './bootstrap/bootstrap-completion.service.js';
import { BootstrapHost } from './bootstrap/bootstrap-github.service.js';
import { BootstrapClaims, BootstrapPlaces } from './bootstrap/bootstrap-reservation.service.js';
import { BootstrapController } from './bootstrap/bootstrap.controller.js';
import { BootstrapPursuit } from './bootstrap/bootstrap.jobs.js';
import { Bootstrap, BootstrapOpening } from './bootstrap/bootstrap.service.js';
import { RepositoryListController } from './list/repositories.controller.js';
import { RepositoryCards } from './list/repositories.queries.js';
import { RepositoryList, StaleSyncs } from './list/repositories.service.js';
import { HeadExamination, WorkflowExamination } from './merge-check/change-analysis.service.js';
import { EnforcementCheck } from './merge-check/merge-check.service.js';
import { ReleaseScopesReader } from './merge-check/release-scopes.queries.js';
import { HostTokenWiping, IntegrityJobs } from './repositories.jobs.js';
import { ProtectionWorkReader, ProtectionsRepository } from './rulesets/branch-protection.repository.js';
import { BranchProtection } from './rulesets/branch-protection.service.js';
import { ProtectionOutcomes, ProtectionSetup } from './rulesets/protection-state.service.js';
import { RulesetHost } from './rulesets/rulesets-github.service.js';
import { ProtectionController } from './rulesets/rulesets.controller.js';
import { AdministratorTokens, RulesetOrders } from './rulesets/rulesets.service.js';
import {
  BootstrapPursuits,
  BootstrapsRepository,
  RepositorySetups,
  SetupProgress,
} from './setup-state/repository-setups.repository.js';
import { BranchExamination, WorkflowWatch } from './tampering/tampering-detection.service.js';
import { TamperingIssuesRepository } from './tampering/tampering-issues.repository.js';
import { TamperingIssues } from './tampering/tampering-issues.service.js';
import { TamperingRecorder } from './tampering/tampering.service.js';
import { WatchReader, WatchStateRepository } from './tampering/watched-files.repository.js';
import { HostTokensRepository } from './tokens/repository-tokens.repository.js';
import { HostTokens } from './tokens/repository-tokens.service.js';
import { TokenEnvelope } from './tokens/token-encryption.service.js';
import { RepositoryWarningsController } from './warnings/repository-warnings.controller.js';
import { RepositoryStateReader } from './warnings/repository-warnings.queries.js';
import { RepositoryWarnings } from './warnings/repository-warnings.service.js';
import {
  PublishedRevisions,
  PublishedRevisionsRecorder,
  WorkflowInstallationRecorder,
  WorkflowInstallations,
} from './workflow-files/workflow-files.repository.js';
import { ManagedWorkflows } from './workflow-files/workflow-templates.service.js';
import { WorkflowUpdateSettlement } from './workflow-files/workflow-update-completion.service.js';
import { WorkflowUpdateHost } from './workflow-files/workflow-updates-github.service.js';
import { WorkflowUpdatesController } from './workflow-files/workflow-updates.controller.js';
import {
  WorkflowUpdateLog,
  WorkflowUpdatePursuits,
  WorkflowUpdatesRepository,
} from './workflow-files/workflow-updates.repository.js';
import { UpdatableRepositories, WorkflowUpdates } from './workflow-files/workflow-updates.service.js';

@Module({
  imports: [AuditModule, EventsModule, PolicyModule, ReleasesModule, WorkspacesModule],
  controllers: [
    BootstrapController,
    ProtectionController,
    RepositoryListController,
    RepositoryWarningsController,
    WorkflowUpdatesController,
  ],
  providers: [
    AdministratorTokens,
    Bootstrap,
    BootstrapClaims,
    BootstrapClosure,
    BootstrapHost,
    BootstrapMerge,
    BootstrapOpening,
    BootstrapPlaces,
    BootstrapPulls,
    BootstrapPursuit,
    BootstrapPursuits,
    BootstrapsRepository,
    BranchExamination,
    BranchProtection,
    EnforcementCheck,
    HeadExamination,
    HostTokenWiping,
    HostTokens,
    HostTokensRepository,
    IntegrityJobs,
    ManagedWorkflows,
    ProtectionOutcomes,
    ProtectionSetup,
    ProtectionWorkReader,
    ProtectionsRepository,
    PublishedRevisions,
    PublishedRevisionsRecorder,
    ReleaseScopesReader,
    RepositoryCards,
    RepositoryList,
    RepositorySetups,
    RepositoryStateReader,
    RepositoryWarnings,
    RulesetHost,
    RulesetOrders,
    SetupProgress,
    StaleSyncs,
    TamperingIssues,
    TamperingIssuesRepository,
    TamperingRecorder,
    TokenEnvelope,
    UpdatableRepositories,
    WatchReader,
    WatchStateRepository,
    WorkflowExamination,
    WorkflowInstallationRecorder,
    WorkflowInstallations,
    WorkflowUpdateHost,
    WorkflowUpdateLog,
    WorkflowUpdatePursuits,
    WorkflowUpdateSettlement,
    WorkflowUpdates,
    WorkflowUpdatesRepository,
    WorkflowWatch,
    WorkflowsAtMerge,
  ],
  exports: [
    BootstrapPursuits,
    HostTokens,
    ManagedWorkflows,
    ProtectionSetup,
    PublishedRevisions,
    RepositorySetups,
    SetupProgress,
    WatchReader,
    WorkflowInstallationRecorder,
    WorkflowInstallations,
    WorkflowUpdatePursuits,
    WorkflowWatch,
  ],
})
export class RepositoriesModule {}
