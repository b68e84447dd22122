import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BootstrapCompletionService } from './bootstrap/bootstrap-completion.service.js';
import { BootstrapMergeService } from './bootstrap/bootstrap-merge.service.js';
import { MergedWorkflowsService } from './bootstrap/merged-workflows.service.js';
import { BootstrapGitHubService } from './bootstrap/bootstrap-github.service.js';
import { BootstrapReservationService } from './bootstrap/bootstrap-reservation.service.js';
import { BootstrapController } from './bootstrap/bootstrap.controller.js';
import { BootstrapJobs } from './bootstrap/bootstrap.jobs.js';
import { BootstrapService } from './bootstrap/bootstrap.service.js';
import { BootstrapOpeningService } from './bootstrap/bootstrap-opening.service.js';
import { RepositoriesController } from './list/repositories.controller.js';
import { RepositoriesQueries } from './list/repositories.queries.js';
import { RepositoriesService } from './list/repositories.service.js';
import { ChangeAnalysisService } from './merge-check/change-analysis.service.js';
import { WorkflowChangeService } from './merge-check/workflow-change.service.js';
import { MergeCheckService } from './merge-check/merge-check.service.js';
import { ReleaseScopesQueries } from './merge-check/release-scopes.queries.js';
import { ProtectionRuleController } from './protection-rule/protection-rule.controller.js';
import { ProtectionRuleService } from './protection-rule/protection-rule.service.js';
import { ProtectionRulesRepository } from './protection-rule/protection-rules.repository.js';
import { BranchProtectionRepository } from './rulesets/branch-protection.repository.js';
import { BranchProtectionService } from './rulesets/branch-protection.service.js';
import { ProtectionStateService } from './rulesets/protection-state.service.js';
import { RulesetsGitHubService } from './rulesets/rulesets-github.service.js';
import { ProtectionController } from './rulesets/protection.controller.js';
import { RulesetsService } from './rulesets/rulesets.service.js';
import { RepositorySetupsService } from './setup-state/repository-setups.service.js';
import { TamperingDetectionService } from './tampering/tampering-detection.service.js';
import { TamperingIssuesRepository } from './tampering/tampering-issues.repository.js';
import { TamperingIssuesService } from './tampering/tampering-issues.service.js';
import { TamperingService } from './tampering/tampering.service.js';
import { WatchedFilesRepository } from './tampering/watched-files.repository.js';
import { RepositoryTokensRepository } from './tokens/repository-tokens.repository.js';
import { RepositoryTokensService } from './tokens/repository-tokens.service.js';
import { RepositoryWarningsController } from './warnings/repository-warnings.controller.js';
import { RepositoryWarningsQueries } from './warnings/repository-warnings.queries.js';
import { RepositoryWarningsService } from './warnings/repository-warnings.service.js';
import { WorkflowFilesService } from './workflow-files/workflow-files.service.js';
import { WorkflowTemplatesService } from './workflow-files/workflow-templates.service.js';
import { WorkflowUpdateCompletionService } from './workflow-files/workflow-update-completion.service.js';
import { WorkflowUpdatesGitHubService } from './workflow-files/workflow-updates-github.service.js';
import { WorkflowUpdatesController } from './workflow-files/workflow-updates.controller.js';
import { WorkflowUpdateRecordsService } from './workflow-files/workflow-update-records.service.js';
import { WorkflowUpdatesService } from './workflow-files/workflow-updates.service.js';

/**
 * A repository must be set up before it can ship: workflow files, rulesets, the protection rule and a policy. This
 * feature proposes them, notices when one is removed, and reports the merge check. Begin at `setup-state/` and
 * `bootstrap/`.
 */
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
    BootstrapMergeService,
    BootstrapOpeningService,
    BootstrapJobs,
    RepositorySetupsService,
    TamperingDetectionService,
    BranchProtectionService,
    MergeCheckService,
    ChangeAnalysisService,
    RepositoryTokensService,
    RepositoryTokensRepository,
    WorkflowTemplatesService,
    ProtectionRuleService,
    ProtectionRulesRepository,
    ProtectionStateService,
    BranchProtectionRepository,
    WorkflowFilesService,
    ReleaseScopesQueries,
    RepositoriesQueries,
    RepositoriesService,
    RepositoryWarningsQueries,
    RepositoryWarningsService,
    RulesetsGitHubService,
    TamperingIssuesService,
    TamperingIssuesRepository,
    TamperingService,
    WatchedFilesRepository,
    WorkflowChangeService,
    WorkflowUpdatesGitHubService,
    WorkflowUpdateRecordsService,
    WorkflowUpdateCompletionService,
    WorkflowUpdatesService,
    MergedWorkflowsService,
  ],
  exports: [
    RepositorySetupsService,
    RepositoryTokensService,
    WorkflowTemplatesService,
    ProtectionRulesRepository,
    ProtectionStateService,
    WorkflowFilesService,
    WorkflowUpdateRecordsService,
    TamperingDetectionService,
  ],
})
export class RepositoriesModule {}
