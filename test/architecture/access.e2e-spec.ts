import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AccessRule } from '../../src/auth/access.decorators.js';
import { listRoutes } from '../support/route-list.js';
import { Database } from '../../src/database/database.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { ACCESS_TABLE } from './access-table.js';

let testDatabase: TestDatabase;
let database: Database;
let app: NestFastifyApplication;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.open({ url: testDatabase.appUrl });
  const log = createLineLogger('silent', process.stdout);
  app = await createApp(AppModule.of({ database }), readTestEnvironment({ RATE_LIMITS: 'off' }), log);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  await app.close();
  await database.close();
  await testDatabase.drop();
});

describe('the routes of the service', () => {
  it('match the table of routes and access rules', () => {
    const declared = listRoutes(app).map(({ method, path, rule }) => [`${method} ${path}`, describeAccess(rule)]);
    expect(Object.fromEntries(declared)).toEqual(ACCESS_TABLE);
    expect(new Set(declared.map(([route]) => route)).size).toBe(declared.length);
  });

  it.each(Object.entries(ACCESS_TABLE).filter(([, access]) => access !== 'public'))(
    'reject a request without a credential: %s',
    async (route, access) => {
      const response = await sendTo(route);
      expect([response.statusCode, Object.keys(response.json())]).toEqual([401, ['error']]);
      expect(response.headers['www-authenticate'] !== undefined).toBe(/\b(ci|personal_key) /.test(access));
    },
  );

  it.each(Object.entries(ACCESS_TABLE).filter(([, access]) => access === 'public'))(
    'accept every caller if they are public: %s',
    async (route) => {
      expect([401, 403]).not.toContain((await sendTo(route)).statusCode);
    },
  );
});

const describeAccess = (rule: AccessRule | null): string => {
  if (rule === null) return 'none';
  if (rule.kind === 'ci' || rule.kind === 'personal_key') return `${rule.kind} ${rule.scope}`;
  if (rule.kind === 'public') return 'public';
  const keys = rule.personalKey === undefined ? '' : ` or personal_key ${rule.personalKey}`;
  const ci = rule.ci === undefined ? '' : ` or ci ${rule.ci}`;
  return `session ${rule.role}${keys}${ci}`;
};

function sendTo(route: string): ReturnType<NestFastifyApplication['inject']> {
  const [method, path = '/'] = route.split(' ');
  return app.inject({ method: method as 'GET', url: path.replace(/:\w+/g, '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b') });
}
