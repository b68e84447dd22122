import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { LookUpBudget } from './discovery/look-up-budget.service.js';
import { MilestonesRepository } from './discovery/milestones.repository.js';
import { ReleaseDiscovery } from './discovery/release-discovery.service.js';
import { AdminActsReader } from './evaluation/admin-acts.reader.js';
import { EvidencePiecesReader } from './evaluation/evidence-pieces.reader.js';
import { PolicyPreviewReader } from './evaluation/policy-preview.service.js';
import { RefreshRequests } from './evaluation/refresh-requests.recorder.js';
import { ReleaseEvaluation } from './evaluation/release-evaluation.service.js';
import { ReleaseRefresh } from './evaluation/release-refresh.service.js';
import { VerdictReader } from './evaluation/verdict.service.js';
import { FactsRecorder } from './facts/facts.recorder.js';
import { ReleaseFactReader } from './facts/immutable-facts.service.js';
import { ObservedPulls } from './facts/observed-pulls.recorder.js';
import { GateController } from './gate/gate.controller.js';
import { GateReader } from './gate/gate.queries.js';
import { Gate } from './gate/gate.service.js';
import { ObservationsModule } from './observations.module.js';
import { DecisionsRecorder } from './records/decisions.recorder.js';
import { EvidencePullsRecorder } from './records/evidence-pulls.repository.js';
import { Predecessors } from './records/predecessors.reader.js';
import { Promotions } from './records/promotions.repository.js';
import { ReleasesReader } from './records/releases.reader.js';
import { ReleasesRepository } from './records/releases.repository.js';
import { ReleaseJobs } from './release-jobs.js';
import { ScopeClaimsReader } from './scope/scope-claims.reader.js';
import { Shipping } from './shipping/shipping.service.js';

@Module({
  imports: [EventsModule, ObservationsModule, ReposModule],
  controllers: [GateController],
  providers: [
    AdminActsReader,
    DecisionsRecorder,
    EvidencePiecesReader,
    EvidencePullsRecorder,
    FactsRecorder,
    Gate,
    GateReader,
    LookUpBudget,
    MilestonesRepository,
    ObservedPulls,
    PolicyPreviewReader,
    Predecessors,
    Promotions,
    RefreshRequests,
    ReleaseDiscovery,
    ReleaseEvaluation,
    ReleaseFactReader,
    ReleaseJobs,
    ReleaseRefresh,
    ReleasesReader,
    ReleasesRepository,
    ScopeClaimsReader,
    Shipping,
    VerdictReader,
  ],
  exports: [
    AdminActsReader,
    EvidencePiecesReader,
    EvidencePullsRecorder,
    FactsRecorder,
    Gate,
    PolicyPreviewReader,
    Predecessors,
    Promotions,
    RefreshRequests,
    ReleaseDiscovery,
    ReleaseEvaluation,
    ReleaseFactReader,
    ReleaseRefresh,
    ReleasesReader,
    Shipping,
  ],
})
export class ReleasesModule {}
