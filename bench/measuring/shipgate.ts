import 'reflect-metadata';
import { generateKeyPairSync } from 'node:crypto';
import { readEnvironment } from '../../src/config/read-environment.js';
import { Database } from '../../src/database/database.js';
import { assertTenantIsolation } from '../../src/database/tenancy-check.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { configureV8 } from '../../src/server/configure-v8.js';
import { readOrder, reportListening } from './served.js';

/** The secret for cookies of the measured service. */
export const SESSION_SECRET = 'a secret that no deployment has!';
/** The secret for its webhooks. */
export const WEBHOOK_SECRET = 'another secret that no deployment has';

/** Makes this process the service without its worker, with a pool of the same size as the bare servers. */
export async function serveShipgate(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  configureV8();
  const { databaseUrl, poolSize } = readOrder();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const environment = readEnvironment({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    RATE_LIMITS: 'off',
    SESSION_SECRET,
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32).toString('base64')}`,
    GITHUB_APP_ID: '1',
    GITHUB_APP_SLUG: 'shipgate',
    GITHUB_APP_CLIENT_ID: 'client',
    GITHUB_APP_CLIENT_SECRET: 'secret',
    GITHUB_APP_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
    ...variables,
  });
  const database = await Database.open({ url: databaseUrl, poolSize });
  await assertTenantIsolation(database.pool);
  const app = await createApp(AppModule.of({ database }), environment, createLogger(environment.logLevel));
  await app.listen(environment.port, environment.host);
  reportListening(app.getHttpServer().address());
}
