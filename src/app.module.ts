import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { CallerRateLimitSubject } from './auth/caller-rate-limit-subject.js';
import { CustodyModule } from './custody/custody.module.js';
import { AuditPackModule } from './features/audit-pack/audit-pack.module.js';
import { AuditModule } from './features/audit/audit.module.js';
import { BillingModule } from './features/billing/billing.module.js';
import { DashboardModule } from './features/dashboard/dashboard.module.js';
import { DecisionsModule } from './features/decisions/decisions.module.js';
import { DeploymentsModule } from './features/deployments/deployments.module.js';
import { DocsModule } from './features/docs/docs.module.js';
import { EnforcementModule } from './features/enforcement/enforcement.module.js';
import { EventsModule } from './features/events/events.module.js';
import { EvidenceModule } from './features/evidence/evidence.module.js';
import { EvidencePullsModule } from './features/evidence-pulls/evidence-pulls.module.js';
import { HistoryModule } from './features/history/history.module.js';
import { HostTokensModule } from './features/host-tokens/host-tokens.module.js';
import { IntegrityModule } from './features/integrity/integrity.module.js';
import { KeysModule } from './features/keys/keys.module.js';
import { McpModule } from './features/mcp/mcp.module.js';
import { MembersModule } from './features/members/members.module.js';
import { MilestonesModule } from './features/milestones/milestones.module.js';
import { DiagnosisModule } from './features/operation/diagnosis.module.js';
import { OnboardingModule } from './features/onboarding/onboarding.module.js';
import { OperationModule } from './features/operation/operation.module.js';
import { OverridesModule } from './features/overrides/overrides.module.js';
import { PagesModule } from './features/pages/pages.module.js';
import { PolicyModule } from './features/policy/policy.module.js';
import { ProjectsModule } from './features/projects/projects.module.js';
import { ProtectionModule } from './features/protection/protection.module.js';
import { QualityModule } from './features/quality/quality.module.js';
import { QualityExportModule } from './features/quality-export/quality-export.module.js';
import { ReleasesModule } from './features/releases/releases.module.js';
import { ScopeModule } from './features/scope/scope.module.js';
import { AppCredentialsModule } from './features/setup/app-credentials.module.js';
import { RepositoryListModule } from './features/repository-list/repository-list.module.js';
import { ReviewsModule } from './features/reviews/reviews.module.js';
import { SetupModule } from './features/setup/setup.module.js';
import { SignInModule } from './features/sign-in/sign-in.module.js';
import { SyncModule } from './features/sync/sync.module.js';
import { TeamModule } from './features/team/team.module.js';
import { UpkeepModule } from './features/upkeep/upkeep.module.js';
import { WebhooksModule } from './features/webhooks/webhooks.module.js';
import { WorkflowUpdatesModule } from './features/workflows/workflow-updates.module.js';
import { GitHubModule } from './github/github.module.js';
import { type Ground, GroundModule } from './ground.module.js';
import { RateLimitModule } from './http/rate-limit/rate-limit.module.js';
import { JobsModule } from './jobs/jobs.module.js';

/** The composition root: every feature of the service, on a database that is open. */
@Module({})
export class AppModule {
  static of(ground: Ground): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GroundModule.of(ground),
        CustodyModule,
        AppCredentialsModule,
        JobsModule,
        GitHubModule,
        AuthModule.renewedBy(MembersModule),
        // Behind the access guard: a limit counts for whom the guard let in.
        RateLimitModule.countingBy(CallerRateLimitSubject),
        PolicyModule,
        AuditModule,
        AuditPackModule,
        BillingModule,
        KeysModule,
        ReleasesModule,
        DashboardModule,
        ProjectsModule,
        ReviewsModule,
        MilestonesModule,
        ScopeModule,
        EventsModule,
        EvidenceModule,
        EvidencePullsModule,
        OverridesModule,
        DecisionsModule,
        DeploymentsModule,
        HistoryModule,
        QualityModule,
        QualityExportModule,
        EnforcementModule,
        IntegrityModule,
        HostTokensModule,
        ProtectionModule,
        SignInModule,
        TeamModule,
        SyncModule,
        McpModule,
        RepositoryListModule,
        SetupModule,
        OnboardingModule,
        UpkeepModule,
        WebhooksModule,
        WorkflowUpdatesModule,
        OperationModule,
        DiagnosisModule,
        DocsModule,
        PagesModule,
      ],
    };
  }
}
