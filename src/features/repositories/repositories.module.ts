import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import {
  BootstrapCompletionService,
  BootstrapMerge,
  BootstrapPulls,
  WorkflowsAtMerge,
} from './bootstrap/bootstrap-completion.service.js';
import { BootstrapGitHubService } from './bootstrap/bootstrap-github.service.js';
import { BootstrapReservationService } from './bootstrap/bootstrap-reservation.service.js';
import { BootstrapController } from './bootstrap/bootstrap.controller.js';
import { BootstrapJobs } from './bootstrap/bootstrap.jobs.js';
import { BootstrapService, BootstrapOpening } from './bootstrap/bootstrap.service.js';
import { RepositoriesController } from './list/repositories.controller.js';
import { RepositoriesQueries } from './list/repositories.queries.js';
import { RepositoriesService } from './list/repositories.service.js';
import { ChangeAnalysisService, WorkflowChangeService } from './merge-check/change-analysis.service.js';
import { MergeCheckService } from './merge-check/merge-check.service.js';
import { ReleaseScopesQueries } from './merge-check/release-scopes.queries.js';
import { RepositoriesJobs, IntegrityJobs } from './repositories.jobs.js';
import { ProtectionRuleController } from './protection-rule/protection-rule.controller.js';
import { ProtectionRuleService } from './protection-rule/protection-rule.service.js';
import { ProtectionRulesRepository } from './protection-rule/protection-rules.repository.js';
import { BranchProtectionRepository } from './rulesets/branch-protection.repository.js';
import { BranchProtectionService } from './rulesets/branch-protection.service.js';
import { ProtectionStateService } from './rulesets/protection-state.service.js';
import { RulesetsGitHubService } from './rulesets/rulesets-github.service.js';
import { ProtectionController } from './rulesets/rulesets.controller.js';
import { RulesetsService } from './rulesets/rulesets.service.js';
import { RepositorySetupsRepository } from './setup-state/repository-setups.repository.js';
import { TamperingDetectionService } from './tampering/tampering-detection.service.js';
import { TamperingIssuesRepository } from './tampering/tampering-issues.repository.js';
import { TamperingIssuesService } from './tampering/tampering-issues.service.js';
import { TamperingService } from './tampering/tampering.service.js';
import { WatchedFilesRepository } from './tampering/watched-files.repository.js';
import { RepositoryTokensRepository } from './tokens/repository-tokens.repository.js';
import { RepositoryTokensService } from './tokens/repository-tokens.service.js';
import { TokenEncryptionService } from './tokens/token-encryption.service.js';
import { RepositoryWarningsController } from './warnings/repository-warnings.controller.js';
import { RepositoryWarningsQueries } from './warnings/repository-warnings.queries.js';
import { RepositoryWarningsService } from './warnings/repository-warnings.service.js';
import { WorkflowFilesRepository } from './workflow-files/workflow-files.repository.js';
import { WorkflowTemplatesService } from './workflow-files/workflow-templates.service.js';
import { WorkflowUpdateCompletionService } from './workflow-files/workflow-update-completion.service.js';
import { WorkflowUpdatesGitHubService } from './workflow-files/workflow-updates-github.service.js';
import { WorkflowUpdatesController } from './workflow-files/workflow-updates.controller.js';
import { WorkflowUpdatesRepository } from './workflow-files/workflow-updates.repository.js';
import { UpdatableRepositories, WorkflowUpdatesService } from './workflow-files/workflow-updates.service.js';

@Module({
  imports: [AuditModule, EventsModule, PolicyModule, ReleasesModule, WorkspacesModule],
  controllers: [
    BootstrapController,
    ProtectionController,
    ProtectionRuleController,
    RepositoriesController,
    RepositoryWarningsController,
    WorkflowUpdatesController,
  ],
  providers: [
    RulesetsService,
    BootstrapService,
    BootstrapReservationService,
    BootstrapCompletionService,
    BootstrapGitHubService,
    BootstrapMerge,
    BootstrapOpening,
    BootstrapPulls,
    BootstrapJobs,
    RepositorySetupsRepository,
    TamperingDetectionService,
    BranchProtectionService,
    MergeCheckService,
    ChangeAnalysisService,
    RepositoriesJobs,
    RepositoryTokensService,
    RepositoryTokensRepository,
    IntegrityJobs,
    WorkflowTemplatesService,
    ProtectionRuleService,
    ProtectionRulesRepository,
    ProtectionStateService,
    BranchProtectionRepository,
    WorkflowFilesRepository,
    ReleaseScopesQueries,
    RepositoriesQueries,
    RepositoriesService,
    RepositoryWarningsQueries,
    RepositoryWarningsService,
    RulesetsGitHubService,
    TamperingIssuesService,
    TamperingIssuesRepository,
    TamperingService,
    TokenEncryptionService,
    UpdatableRepositories,
    WatchedFilesRepository,
    WorkflowChangeService,
    WorkflowUpdatesGitHubService,
    WorkflowUpdatesRepository,
    WorkflowUpdateCompletionService,
    WorkflowUpdatesService,
    WorkflowsAtMerge,
  ],
  exports: [
    RepositorySetupsRepository,
    RepositoryTokensService,
    WorkflowTemplatesService,
    ProtectionRulesRepository,
    ProtectionStateService,
    WorkflowFilesRepository,
    WatchedFilesRepository,
    WorkflowUpdatesRepository,
    TamperingDetectionService,
  ],
})
export class RepositoriesModule {}
