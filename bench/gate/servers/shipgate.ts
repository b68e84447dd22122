/** The service itself, whole but for its worker, on a pool as large as the bare servers have. */
import 'reflect-metadata';
import { AppModule } from '../../../src/app.module.js';
import { readEnvironment } from '../../../src/config/read-environment.js';
import { checkTenancy } from '../../../src/database/boot-check.js';
import { Database } from '../../../src/database/database.js';
import { createApp } from '../../../src/http/app.factory.js';
import { createLogger } from '../../../src/observability/logger.js';
import { readOrder, reportListening } from './served.js';

const { databaseUrl, poolSize } = readOrder();
const environment = readEnvironment({
  PORT: '0',
  DATABASE_URL: databaseUrl,
  RATE_LIMITS: 'off',
  SESSION_SECRET: 'a secret that no deployment has!',
  ENCRYPTION_KEYS: `bench:${Buffer.alloc(32).toString('base64')}`,
});
const database = await Database.open({ url: databaseUrl, poolSize });
await checkTenancy(database.pool);
const app = await createApp(AppModule.of({ database }), environment, createLogger(environment.logLevel));
await app.listen(environment.port, environment.host);
reportListening(app.getHttpServer().address());
