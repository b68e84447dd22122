import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Clock } from '../../config/clock.js';
import { ConfigModule } from '../../config/config.module.js';
import type { Environment } from '../../config/environment.js';
import type { Database } from '../../database/database.js';
import type { KeyScope } from '../../domain/keys/key-scope.js';
import { MembersRepository } from '../../features/accounts/members/members.repository.js';
import { AuditModule } from '../../features/audit/audit.module.js';
import { ApiKeysRepository } from '../../features/keys/api-keys.repository.js';
import { ApiKeysService } from '../../features/keys/api-keys.service.js';
import { createLogger } from '../../observability/logger.js';
import { ObservabilityModule } from '../../observability/observability.module.js';
import { CoreModule } from '../../server/core.module.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';

export interface KeyRequest {
  readonly org: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Days until the key expires; null if it does not expire. */
  readonly days: number | null;
}

const DAY_MS = 86_400_000;

@Module({})
class KeyCommandModule {}

/** Creates an API key for an organization that has installed the app, and returns its secret. */
export async function createKey(
  database: Database,
  environment: Environment,
  { org, name, scopes, days }: KeyRequest,
): Promise<string> {
  const imports = [
    ConfigModule.of(environment),
    ObservabilityModule.of(createLogger('silent')),
    CoreModule.of({ database }),
    AuditModule,
  ];
  // Only the classes that create a key, without those that need GitHub or the queue.
  const providers = [MembersRepository, ApiKeysService, ApiKeysRepository];
  // Without `abortOnError: false` Nest would end the process without a message.
  const context = await NestFactory.createApplicationContext(
    { module: KeyCommandModule, imports, providers },
    { logger: false, abortOnError: false },
  );
  const installed = await new WorkspacesQueries(database).listInstalled();
  const organization = installed.find(({ login }) => login.toLowerCase() === org.toLowerCase());
  if (!organization) throw new Error(`The app is not installed for an organization named "${org}".`);
  const expiresAt = days === null ? null : new Date(context.get(Clock).now().getTime() + days * DAY_MS);
  const operator = { kind: 'operator', orgId: organization.orgId } as const;
  return (await context.get(ApiKeysService).create(operator, { name, scopes, repos: null, expiresAt })).key;
}
