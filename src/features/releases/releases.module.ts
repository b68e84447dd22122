import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import {
  EvidencePullReopening,
  ReleaseReading,
  ReleaseStart,
  ReleaseStarts,
} from './actions/release-actions.service.js';
import { MilestoneHost, ReleaseMaking } from './actions/release-creation.service.js';
import { MilestonesController } from './actions/releases.controller.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { Decisions } from './decisions/decisions.service.js';
import { LiveFacts, LiveLook } from './details/live-refresh.service.js';
import { ReleaseViewController } from './details/release-details.controller.js';
import { ReleaseDetailsReader, ShippedScope, TransitionLog } from './details/release-details.queries.js';
import { ReleaseView } from './details/release-details.service.js';
import { LookUpBudget } from './discovery/look-up-budget.service.js';
import { MilestonesRepository } from './discovery/milestones.repository.js';
import { ReleaseDiscovery } from './discovery/release-discovery.service.js';
import { PolicyPreviewReader } from './evaluation/policy-preview.service.js';
import { RefreshRequests } from './evaluation/refresh-requests.repository.js';
import { ReleaseEvaluation } from './evaluation/release-evaluation.service.js';
import { ReleaseRefresh } from './evaluation/release-refresh.service.js';
import { AdminActsReader, EvidencePiecesReader } from './evaluation/verdict-inputs.queries.js';
import { VerdictReader } from './evaluation/verdict.service.js';
import { FactHints } from './facts/fact-hints.repository.js';
import { Observer } from './facts/fact-reader.service.js';
import { FactsRecorder, ObservedPulls } from './facts/facts.repository.js';
import { ReleaseFactReader } from './facts/immutable-facts.service.js';
import { KnownPolicyReader, ObservationsReader, ObservationsRecorder } from './facts/observations.repository.js';
import { GateController } from './gate/gate.controller.js';
import { GateReader } from './gate/gate.queries.js';
import { Gate } from './gate/gate.service.js';
import { DashboardController } from './lists/dashboard.controller.js';
import { ReleaseListController } from './lists/release-list.controller.js';
import { Dashboard, ReleaseCardBatches, ReleaseCardView, ReleaseList } from './lists/release-list.service.js';
import { ActiveReleases, ReleaseVersions } from './lists/release-search.queries.js';
import { FreezesReader, ReleaseCards } from './lists/release-summaries.queries.js';
import { ShownReleases } from './lists/stale-releases.service.js';
import { DecisionsRecorder, StoredDecisionsReader } from './records/decisions.repository.js';
import { EvidencePullsRecorder } from './records/evidence-pulls.repository.js';
import { Promotions } from './records/promotions.repository.js';
import { Predecessors, ReleasesReader, VisibleReleases } from './records/releases.queries.js';
import { ReleasesRepository } from './records/releases.repository.js';
import { ReleaseJobs, ShownReleaseJobs } from './releases.jobs.js';
import { ScopeFacts } from './scope/scope-facts.service.js';
import { ScopeHost, ScopeWriteLimits, ScopeWriters } from './scope/scope-github.service.js';
import { ScopeClaimsReader, ScopeClaimsRepository } from './scope/scope-locks.repository.js';
import { ScopeClaims } from './scope/scope-locks.service.js';
import { ScopeController } from './scope/scope.controller.js';
import { ScopeLog, ScopedReleases } from './scope/scope.repository.js';
import { ScopeChanges } from './scope/scope.service.js';
import { Shipping } from './shipping/shipping.service.js';

@Module({
  imports: [AccountsModule, AuditModule, EventsModule, PolicyModule, WorkspacesModule],
  controllers: [
    DashboardController,
    DecisionsController,
    GateController,
    MilestonesController,
    ReleaseListController,
    ReleaseViewController,
    ScopeController,
  ],
  providers: [
    ActiveReleases,
    AdminActsReader,
    Dashboard,
    Decisions,
    DecisionsRecorder,
    EvidencePiecesReader,
    EvidencePullReopening,
    EvidencePullsRecorder,
    FactHints,
    FactsRecorder,
    FreezesReader,
    Gate,
    GateReader,
    KnownPolicyReader,
    LiveFacts,
    LiveLook,
    LookUpBudget,
    MilestoneHost,
    MilestonesRepository,
    ObservationsReader,
    ObservationsRecorder,
    ObservedPulls,
    Observer,
    PolicyPreviewReader,
    Predecessors,
    Promotions,
    RefreshRequests,
    ReleaseCardBatches,
    ReleaseCardView,
    ReleaseCards,
    ReleaseDetailsReader,
    ReleaseDiscovery,
    ReleaseEvaluation,
    ReleaseFactReader,
    ReleaseJobs,
    ReleaseList,
    ReleaseMaking,
    ReleaseReading,
    ReleaseRefresh,
    ReleaseStart,
    ReleaseStarts,
    ReleaseVersions,
    ReleaseView,
    ReleasesReader,
    ReleasesRepository,
    ScopeChanges,
    ScopeClaims,
    ScopeClaimsReader,
    ScopeClaimsRepository,
    ScopeFacts,
    ScopeHost,
    ScopeLog,
    ScopeWriteLimits,
    ScopeWriters,
    ScopedReleases,
    ShippedScope,
    Shipping,
    ShownReleaseJobs,
    ShownReleases,
    StoredDecisionsReader,
    TransitionLog,
    VerdictReader,
    VisibleReleases,
  ],
  exports: [
    AdminActsReader,
    Dashboard,
    EvidencePiecesReader,
    EvidencePullsRecorder,
    FactHints,
    FactsRecorder,
    FreezesReader,
    Gate,
    KnownPolicyReader,
    ObservationsReader,
    ObservationsRecorder,
    Observer,
    PolicyPreviewReader,
    Predecessors,
    Promotions,
    RefreshRequests,
    ReleaseCards,
    ReleaseDiscovery,
    ReleaseEvaluation,
    ReleaseFactReader,
    ReleaseRefresh,
    ReleasesReader,
    ScopeChanges,
    Shipping,
    ShownReleases,
    VisibleReleases,
  ],
})
export class ReleasesModule {}
