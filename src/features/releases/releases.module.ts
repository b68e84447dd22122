import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { EvidencePiecesReader } from '../evidence/evidence-pieces.reader.js';
import { WatchRequestsModule } from '../integrity/watch-requests.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { AdminActsReader } from '../overrides/admin-acts.reader.js';
import { ReposModule } from '../repos/repos.module.js';
import { ScopeClaimsReader } from '../scope/scope-claims.reader.js';
import { DecisionsRecorder } from './decisions.recorder.js';
import { EvidencePullsRecorder } from './evidence-pulls.recorder.js';
import { FactsRecorder } from './facts.recorder.js';
import { GateController } from './gate.controller.js';
import { GateReader } from './gate.reader.js';
import { Gate } from './gate.service.js';
import { LookUpBudget } from './look-up-budget.service.js';
import { MilestonesRepository } from './milestones.repository.js';
import { ObservedPulls } from './observed-pulls.recorder.js';
import { PolicyPreviewReader } from './policy-preview.reader.js';
import { Predecessors } from './predecessors.reader.js';
import { Promotions } from './promotions.recorder.js';
import { RefreshRequests } from './refresh-requests.recorder.js';
import { ReleaseDiscovery } from './release-discovery.service.js';
import { ReleaseEvaluation } from './release-evaluation.service.js';
import { ReleaseFactReader } from './release-fact.reader.js';
import { ReleaseJobs } from './release-jobs.js';
import { ReleaseRefresh } from './release-refresh.service.js';
import { ReleasesReader } from './releases.reader.js';
import { ReleasesRepository } from './releases.repository.js';
import { Shipping } from './shipping.service.js';
import { VerdictReader } from './verdict.reader.js';

@Module({
  imports: [EventsModule, ObservationsModule, ReposModule, WatchRequestsModule],
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
