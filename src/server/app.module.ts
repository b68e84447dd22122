import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule } from '../auth/auth.module.js';
import { CallerRateLimitKey } from '../auth/rate-limit-key.js';
import { AccountsModule } from '../features/accounts/accounts.module.js';
import { AuditPackModule } from '../features/audit-pack/audit-pack.module.js';
import { AuditModule } from '../features/audit/audit.module.js';
import { BillingModule } from '../features/billing/billing.module.js';
import { DeploymentHoldsModule } from '../features/deployment-holds/deployment-holds.module.js';
import { EventStreamModule } from '../features/event-stream/event-stream.module.js';
import { ArtifactsModule } from '../features/artifacts/artifacts.module.js';
import { EvidenceModule } from '../features/evidence/evidence.module.js';
import { HistoryModule } from '../features/history/history.module.js';
import { KeysModule } from '../features/keys/keys.module.js';
import { McpModule } from '../features/mcp/mcp.module.js';
import { OperationsModule } from '../features/operations/operations.module.js';
import { OverridesModule } from '../features/overrides/overrides.module.js';
import { PolicyModule } from '../features/policy/policy.module.js';
import { ProjectsModule } from '../features/projects/projects.module.js';
import { QualityModule } from '../features/quality/quality.module.js';
import { ReleasesModule } from '../features/releases/releases.module.js';
import { RepositoriesModule } from '../features/repositories/repositories.module.js';
import { ReviewsModule } from '../features/reviews/reviews.module.js';
import { SearchModule } from '../features/search/search.module.js';
import { AppCredentialsModule } from '../features/setup/app-credentials.module.js';
import { SetupModule } from '../features/setup/setup.module.js';
import { StatementsModule } from '../features/statements/statements.module.js';
import { SyncModule } from '../features/sync/sync.module.js';
import { TeamModule } from '../features/team/team.module.js';
import { WebModule } from '../features/web/web.module.js';
import { WebhooksModule } from '../features/webhooks/webhooks.module.js';
import { GitHubModule } from '../github/github.module.js';
import { RateLimitModule } from '../http/rate-limit/rate-limit.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { type CoreProviders, CoreModule } from './core.module.js';

/** The root module: every feature of the service, with an open database. */
@Module({})
export class AppModule {
  /** If `isScheduling` is true, this process enqueues the scheduled jobs. */
  static of(core: CoreProviders, { isScheduling = false } = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ...(isScheduling ? [ScheduleModule.forRoot()] : []),
        CoreModule.of(core),
        AppCredentialsModule,
        JobsModule,
        GitHubModule,
        AuthModule.withMembers(AccountsModule),
        // After the access guard, because limits count per authorized caller.
        RateLimitModule.countingBy(CallerRateLimitKey),
        PolicyModule,
        AuditModule,
        AuditPackModule,
        StatementsModule,
        BillingModule,
        KeysModule,
        ReleasesModule,
        ProjectsModule,
        SearchModule,
        ReviewsModule,
        EventStreamModule,
        ArtifactsModule,
        EvidenceModule,
        OverridesModule,
        DeploymentHoldsModule,
        HistoryModule,
        QualityModule,
        RepositoriesModule,
        AccountsModule,
        TeamModule,
        SyncModule,
        McpModule,
        SetupModule,
        OperationsModule,
        WebhooksModule,
        WebModule,
      ],
    };
  }
}
