import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Database } from '../../../src/database/database.js';
import { createApp } from '../../../src/http/app.factory.js';
import { createLineLogger } from '../../../src/observability/logger.js';
import { AppModule } from '../../../src/server/app.module.js';
import { readTestEnvironment } from '../../support/read-test-environment.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** A second web process, with the same database and secrets. */
export class SecondInstance {
  private constructor(
    readonly app: NestFastifyApplication,
    private readonly database: Database,
    readonly url: string,
  ) {}

  static async start(env: TestEnvironment): Promise<SecondInstance> {
    const database = await Database.open({ url: env.databaseUrls.appUrl, poolSize: 4 });
    const environment = readTestEnvironment({ ...env.variables, ROLE: 'web' });
    const log = createLineLogger('silent', process.stdout);
    const app = await createApp(AppModule.of({ database, clock: env.clock }), environment, log);
    await app.listen(0, '127.0.0.1');
    return new SecondInstance(app, database, await app.getUrl());
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.close();
  }
}
