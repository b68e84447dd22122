import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CallerRateLimitSubject } from '../auth/rate-limit-key.js';
import { CustodyModule } from '../crypto/crypto.module.js';
import { MembersModule } from '../features/accounts/members.module.js';
import { SignInModule } from '../features/accounts/sign-in.module.js';
import { AuditPackModule } from '../features/audit-pack/audit-pack.module.js';
import { AuditModule } from '../features/audit/audit.module.js';
import { BillingModule } from '../features/billing/billing.module.js';
import { EventStreamModule } from '../features/event-stream/event-stream.module.js';
import { EvidenceModule } from '../features/evidence/evidence.module.js';
import { DeploymentsModule } from '../features/history/deployments.module.js';
import { HistoryModule } from '../features/history/history.module.js';
import { KeysModule } from '../features/keys/keys.module.js';
import { McpModule } from '../features/mcp/mcp.module.js';
import { DiagnosisModule } from '../features/operations/diagnosis.module.js';
import { OperationModule } from '../features/operations/operation.module.js';
import { UpkeepModule } from '../features/operations/upkeep.module.js';
import { OverridesModule } from '../features/overrides/overrides.module.js';
import { PolicyModule } from '../features/policy/policy.module.js';
import { ProjectsModule } from '../features/projects/projects.module.js';
import { QualityExportModule } from '../features/quality/quality-export.module.js';
import { QualityModule } from '../features/quality/quality.module.js';
import { DashboardModule } from '../features/releases/dashboard.module.js';
import { DecisionsModule } from '../features/releases/decisions.module.js';
import { MilestonesModule } from '../features/releases/milestones.module.js';
import { ReleasesModule } from '../features/releases/releases.module.js';
import { ScopeModule } from '../features/releases/scope.module.js';
import { EnforcementModule } from '../features/repositories/enforcement.module.js';
import { HostTokensModule } from '../features/repositories/host-tokens.module.js';
import { IntegrityModule } from '../features/repositories/integrity.module.js';
import { OnboardingModule } from '../features/repositories/onboarding.module.js';
import { ProtectionModule } from '../features/repositories/protection.module.js';
import { RepositoryListModule } from '../features/repositories/repository-list.module.js';
import { WorkflowUpdatesModule } from '../features/repositories/workflow-updates.module.js';
import { EvidencePullsModule } from '../features/reviews/evidence-pulls.module.js';
import { ReviewsModule } from '../features/reviews/reviews.module.js';
import { AppCredentialsModule } from '../features/setup/app-credentials.module.js';
import { SetupModule } from '../features/setup/setup.module.js';
import { SyncModule } from '../features/sync/sync.module.js';
import { TeamModule } from '../features/team/team.module.js';
import { DocsModule } from '../features/web/docs.module.js';
import { PagesModule } from '../features/web/pages.module.js';
import { WebhooksModule } from '../features/webhooks/webhooks.module.js';
import { GitHubModule } from '../github/github.module.js';
import { RateLimitModule } from '../http/rate-limit/rate-limit.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { type Ground, GroundModule } from './core.module.js';

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
        EventStreamModule,
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
