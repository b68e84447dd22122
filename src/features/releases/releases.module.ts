import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { ReleaseActionsService } from './actions/release-actions.service.js';
import { ReleaseCreationService } from './actions/release-creation.service.js';
import { ReleasesController } from './actions/releases.controller.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionsQueries } from './decisions/decisions.queries.js';
import { DecisionsService } from './decisions/decisions.service.js';
import { FailedTestsQueries } from './details/failed-tests.queries.js';
import { LiveRefreshService } from './details/live-refresh.service.js';
import { LiveFactsQueries } from './details/live-facts.queries.js';
import { ReleaseApprovalsQueries } from './details/release-approvals.queries.js';
import { ReleaseDetailsController } from './details/release-details.controller.js';
import { ReleaseDetailsQueries } from './details/release-details.queries.js';
import { ReleaseDetailsService } from './details/release-details.service.js';
import { ViewerPermissionService } from './details/viewer-permission.service.js';
import { LookupBudgetService } from './discovery/lookup-budget.service.js';
import { MilestonesRepository } from './discovery/milestones.repository.js';
import { ReleaseDiscoveryService } from './discovery/release-discovery.service.js';
import { EnvironmentDeploymentsQueries } from './environments/environment-deployments.queries.js';
import { EnvironmentsController } from './environments/environments.controller.js';
import { EnvironmentsService } from './environments/environments.service.js';
import { ReleaseDeploymentsQueries } from './environments/release-deployments.queries.js';
import { PolicyPreviewService } from './evaluation/policy-preview.service.js';
import { ReleaseEvaluationService } from './evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from './evaluation/release-refresh.service.js';
import { CompletedSoaksRepository } from './evaluation/completed-soaks.repository.js';
import { VerdictInputsQueries } from './evaluation/verdict-inputs.queries.js';
import { VerdictService } from './evaluation/verdict.service.js';
import { FactHintsRepository } from './facts/fact-hints.repository.js';
import { KnownDeploymentsQueries } from './facts/known-deployments.queries.js';
import { FactReaderService } from './facts/fact-reader.service.js';
import { FactsService } from './facts/facts.service.js';
import { DependentReleasesRepository } from './facts/dependent-releases.repository.js';
import { ImmutableFactsService } from './facts/immutable-facts.service.js';
import { ObservationsRepository } from './facts/observations.repository.js';
import { GateController } from './gate/gate.controller.js';
import { GateMetrics } from './gate/gate.metrics.js';
import { GateQueries } from './gate/gate.queries.js';
import { GateService } from './gate/gate.service.js';
import { ReleaseResolutionService } from './gate/release-resolution.service.js';
import { DashboardController } from './lists/dashboard.controller.js';
import { ReleaseListController } from './lists/release-list.controller.js';
import { ReleaseListService } from './lists/release-list.service.js';
import { ReleaseSearchQueries } from './lists/release-search.queries.js';
import { ReleaseSummariesQueries } from './lists/release-summaries.queries.js';
import { StaleReleasesService } from './lists/stale-releases.service.js';
import { DecisionsRepository } from './records/decisions.repository.js';
import { EvidencePullsRepository } from './records/evidence-pulls.repository.js';
import { PromotionsRepository } from './records/promotions.repository.js';
import { ReleasesQueries } from './records/releases.queries.js';
import { ReleasesRepository } from './records/releases.repository.js';
import { ScopeChoicesService } from './scope/scope-choices.service.js';
import { ScopeFactsService } from './scope/scope-facts.service.js';
import { ScopeGitHubService } from './scope/scope-github.service.js';
import { ScopeLocksRepository } from './scope/scope-locks.repository.js';
import { ScopeLocksService } from './scope/scope-locks.service.js';
import { ScopeController } from './scope/scope.controller.js';
import { ScopeRepository } from './scope/scope.repository.js';
import { ScopeService } from './scope/scope.service.js';
import { ShippingService } from './shipping/shipping.service.js';

/**
 * A release is a version that a milestone of a repository starts. Here its facts are read, it is evaluated by
 * `src/domain/release/`, its decisions are stored and the gate answers. Begin at `evaluation/`. `gate/` answers
 * deployments, and `lists/` and `details/` serve the dashboard.
 */
@Module({
  imports: [AccountsModule, AuditModule, EventsModule, PolicyModule, WorkspacesModule],
  controllers: [
    DashboardController,
    DecisionsController,
    EnvironmentsController,
    GateController,
    ReleasesController,
    ReleaseListController,
    ReleaseDetailsController,
    ScopeController,
  ],
  providers: [
    ReleaseSearchQueries,
    CompletedSoaksRepository,
    EnvironmentDeploymentsQueries,
    EnvironmentsService,
    ReleaseDeploymentsQueries,
    VerdictInputsQueries,
    ReleaseListService,
    DecisionsQueries,
    DecisionsService,
    DecisionsRepository,
    ReleaseActionsService,
    EvidencePullsRepository,
    FactHintsRepository,
    FactsService,
    ReleaseSummariesQueries,
    GateService,
    GateMetrics,
    GateQueries,
    ObservationsRepository,
    LiveFactsQueries,
    LiveRefreshService,
    LookupBudgetService,
    ReleaseCreationService,
    MilestonesRepository,
    DependentReleasesRepository,
    KnownDeploymentsQueries,
    FactReaderService,
    PolicyPreviewService,
    ReleasesQueries,
    PromotionsRepository,
    ReleaseApprovalsQueries,
    FailedTestsQueries,
    ReleaseDetailsQueries,
    ReleaseDiscoveryService,
    ReleaseEvaluationService,
    ImmutableFactsService,
    ReleaseRefreshService,
    ReleaseResolutionService,
    ReleaseDetailsService,
    ReleasesRepository,
    ScopeService,
    ScopeChoicesService,
    ScopeLocksService,
    ScopeLocksRepository,
    ScopeFactsService,
    ScopeGitHubService,
    ScopeRepository,
    ShippingService,
    StaleReleasesService,
    VerdictService,
    ViewerPermissionService,
  ],
  exports: [
    DecisionsQueries,
    LookupBudgetService,
    VerdictInputsQueries,
    ReleaseListService,
    EvidencePullsRepository,
    FactHintsRepository,
    FactsService,
    ReleaseSummariesQueries,
    GateService,
    ObservationsRepository,
    FactReaderService,
    PolicyPreviewService,
    ReleasesQueries,
    PromotionsRepository,
    ReleaseDetailsService,
    ReleaseDiscoveryService,
    ReleaseEvaluationService,
    ImmutableFactsService,
    ReleaseRefreshService,
    ScopeService,
    ShippingService,
    StaleReleasesService,
  ],
})
export class ReleasesModule {}
