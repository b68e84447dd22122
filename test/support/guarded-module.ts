import { Global, Module, type ModuleMetadata } from '@nestjs/common';
import { AuthModule } from '../../src/auth/auth.module.js';
import { MembershipRefresher } from '../../src/auth/caller.js';
import { CallerRateLimitKey } from '../../src/auth/rate-limit-key.js';
import { Clock } from '../../src/config/clock.js';
import { Database } from '../../src/database/database.js';
import { WorkbookThreadConfig } from '../../src/export/xlsx/workbook-thread.service.js';
import { MembersRepository } from '../../src/features/accounts/members/members.repository.js';
import { AuditModule } from '../../src/features/audit/audit.module.js';
import { ApiKeysRepository } from '../../src/features/keys/api-keys.repository.js';
import { ApiKeysService } from '../../src/features/keys/api-keys.service.js';
import { HealthController } from '../../src/features/operations/health.controller.js';
import { MetricsController } from '../../src/features/operations/metrics.controller.js';
import { JsonListStream } from '../../src/http/pagination/json-list.stream.js';
import { RateLimitModule } from '../../src/http/rate-limit/rate-limit.module.js';

/** The access guard, the API keys and the limits of the service, with the routes of a test. */
export function guardedModule(
  {
    database,
    clock,
    renewal,
  }: { readonly database: Database; readonly clock: Clock; readonly renewal: MembershipRefresher },
  { imports = [], providers = [], controllers = [] }: ModuleMetadata,
): new () => object {
  @Global()
  @Module({
    providers: [
      { provide: Database, useValue: database },
      { provide: Clock, useValue: clock },
      { provide: WorkbookThreadConfig, useValue: new WorkbookThreadConfig() },
      JsonListStream,
    ],
    exports: [Database, Clock, JsonListStream, WorkbookThreadConfig],
  })
  class SurroundingsModule {}

  @Module({ providers: [{ provide: MembershipRefresher, useValue: renewal }], exports: [MembershipRefresher] })
  class MembersModule {}

  @Module({
    imports: [
      SurroundingsModule,
      AuthModule.withMembers(MembersModule),
      RateLimitModule.countingBy(CallerRateLimitKey),
      AuditModule,
      ...imports,
    ],
    providers: [MembersRepository, ApiKeysService, ApiKeysRepository, ...providers],
    controllers: [...controllers, HealthController, MetricsController],
  })
  class GuardedModule {}
  return GuardedModule;
}
