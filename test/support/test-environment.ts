import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Environment } from '../../src/config/environment.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { OrgId } from '../../src/database/ids.js';
import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import { ApiKeysService } from '../../src/features/keys/api-keys.service.js';
import { EvidencePullDelay } from '../../src/features/releases/evaluation/release-evaluation.service.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { createApp } from '../../src/http/app.factory.js';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import type { Exchange } from '../github-sim/exchange-observer.js';
import { GitHubSim } from '../github-sim/github-sim.js';
import { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import type { App } from '../github-sim/state/app.js';
import type { Organization } from '../github-sim/state/organization.js';
import { HttpOutbox } from '../github-sim/webhooks/http-outbox.js';
import { SecretLeakDetector } from './secret-leak-detector.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { readTestEnvironment } from './read-test-environment.js';
import { freePort } from './free-port.js';
import { GITHUB_API, GITHUB_WEBHOOKS } from './github-contract.js';
import { AdjustableClock } from './adjustable-clock.js';
import { sourceParserThreads } from './source-parser-threads.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

/** The interval between two queries for waiting work, and the delay before a second query confirms that there is none. */
const POLL_INTERVAL_MS = 25;
const CONFIRM_MS = 10;

/** Registers the secrets that the service receives at its start. */
function registerSecrets(
  secretLeaks: SecretLeakDetector,
  { sessionSecret, encryptionKeys, metricsToken }: Environment,
  app: App,
): void {
  secretLeaks.add('client secret', app.clientSecret);
  secretLeaks.add('webhook secret', app.webhookSecret);
  secretLeaks.addPem('private key', app.privateKey);
  secretLeaks.add('session secret', sessionSecret);
  if (metricsToken !== null) secretLeaks.add('token of the metrics', metricsToken);
  for (const { key } of encryptionKeys) secretLeaks.add('encryption key', key.toString('base64'));
}

interface EnvironmentParts {
  readonly clock: AdjustableClock;
  readonly github: GitHubSim;
  readonly outbox: HttpOutbox;
  readonly issuer: OidcIssuer;
  readonly baseUrl: string;
  readonly githubApp: App;
  readonly organization: Organization;
  readonly testDatabase: TestDatabase;
  readonly database: Database;
  readonly app: NestFastifyApplication;
  readonly violations: readonly unknown[];
  readonly exchanges: readonly Exchange[];
  readonly lines: readonly string[];
  readonly secretLeaks: SecretLeakDetector;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The whole service on real sockets, with a simulated GitHub, an issuer of identity tokens and its own database.
 * Every exchange with GitHub is checked against GitHub's API description, every webhook against its published schema.
 */
export class TestEnvironment {
  private constructor(private readonly parts: EnvironmentParts) {}

  static async start(
    variables: Readonly<Record<string, string>> = {},
    threads = sourceParserThreads(),
  ): Promise<TestEnvironment> {
    const clock = new AdjustableClock();
    const violations: unknown[] = [];
    const exchanges: Exchange[] = [];
    const secretLeaks = new SecretLeakDetector();
    const outbox = new HttpOutbox({
      clock,
      onHook: ({ event, payload }) => violations.push(...GITHUB_WEBHOOKS.check(event, payload)),
    });
    const github = await GitHubSim.start({
      clock,
      outbox,
      onExchange: (exchange) => {
        exchanges.push(exchange);
        secretLeaks.addBearer(exchange.requestHeaders['authorization']);
        violations.push(...GITHUB_API.check(exchange));
      },
    });
    const organization = github.createOrganization({ login: 'acme' });
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const githubApp = github.registerApp({
      name: 'Shipgate',
      owner: organization,
      callbackUrls: [`${baseUrl}/api/auth/callback`],
      setupUrl: `${baseUrl}/api/config/install/callback`,
    });
    const issuer = await OidcIssuer.start({ clock });
    const testDatabase = await createTestDatabase();
    const database = await Database.open({ url: testDatabase.appUrl, poolSize: 12 });
    const lines: string[] = [];
    const given = {
      LOG_LEVEL: 'info',
      RATE_LIMITS: 'off',
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.apiUrl,
      GITHUB_APP_ID: String(githubApp.id),
      GITHUB_APP_SLUG: githubApp.slug,
      GITHUB_APP_CLIENT_ID: githubApp.clientId,
      GITHUB_APP_CLIENT_SECRET: githubApp.clientSecret,
      GITHUB_APP_PRIVATE_KEY: githubApp.privateKey,
      GITHUB_WEBHOOK_SECRET: githubApp.webhookSecret,
      OIDC_ISSUER: issuer.url,
      BASE_URL: baseUrl,
      ...variables,
    };
    const environment = readTestEnvironment(given);
    const log = createLineLogger('info', { write: (line) => void lines.push(line) });
    const core = { database, clock, gathering: new EvidencePullDelay(0), threads };
    const app = await createApp(AppModule.of(core), environment, log);
    registerSecrets(secretLeaks, environment, githubApp);
    secretLeaks.watch(app.getHttpAdapter().getInstance());
    await app.listen(port, '127.0.0.1');
    await app.get(JobWorker).start();
    githubApp.webhookUrl = `${await app.getUrl()}/api/webhook`;
    return new TestEnvironment({
      clock,
      github,
      outbox,
      issuer,
      baseUrl,
      githubApp,
      organization,
      testDatabase,
      database,
      app,
      violations,
      exchanges,
      lines,
      secretLeaks,
      variables: given,
    });
  }

  get clock(): AdjustableClock {
    return this.parts.clock;
  }

  get github(): GitHubSim {
    return this.parts.github;
  }

  get outbox(): HttpOutbox {
    return this.parts.outbox;
  }

  get issuer(): OidcIssuer {
    return this.parts.issuer;
  }

  /** The public address of the service. */
  get baseUrl(): string {
    return this.parts.baseUrl;
  }

  get githubApp(): App {
    return this.parts.githubApp;
  }

  get organization(): Organization {
    return this.parts.organization;
  }

  get app(): NestFastifyApplication {
    return this.parts.app;
  }

  get database(): Database {
    return this.parts.database;
  }

  /** The exchanges and webhooks that GitHub's description does not allow. */
  get violations(): readonly unknown[] {
    return this.parts.violations;
  }

  /** The requests of the service to the simulated GitHub, with the responses. */
  get exchanges(): readonly Exchange[] {
    return this.parts.exchanges;
  }

  /** The secrets that must not appear in logs, responses or tables. */
  get secretLeaks(): SecretLeakDetector {
    return this.parts.secretLeaks;
  }

  /** The environment variables of the service, for a second process. */
  get variables(): Readonly<Record<string, string>> {
    return this.parts.variables;
  }

  /** The lines of the log so far. */
  get lines(): readonly string[] {
    return this.parts.lines;
  }

  get databaseUrls(): TestDatabase {
    return this.parts.testDatabase;
  }

  /** Installs the app for the organization and waits until its repositories are stored. */
  async install(organization: Organization = this.organization): Promise<OrgId> {
    this.github.installApp(this.githubApp, organization);
    await this.waitUntilIdle();
    return this.orgId(organization);
  }

  async orgId(organization: Organization = this.organization): Promise<OrgId> {
    const [row] = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'find_organization_by_owner',
      'select org_id from find_organization_by_owner($1)',
      [organization.id],
    );
    if (!row) throw new Error(`the service has not stored the organization ${organization.login}`);
    return row.org_id;
  }

  /** Creates an API key. Returns its secret. */
  async key(
    scopes: readonly KeyScope[] = ['evidence:write', 'gate:read'],
    organization = this.organization,
    repos: readonly string[] | null = null,
  ): Promise<string> {
    const orgId = await this.orgId(organization);
    const requested = { name: 'ci', scopes, repos, expiresAt: null };
    return (await this.app.get(ApiKeysService).create({ kind: 'operator', orgId }, requested)).key;
  }

  /** Reads across all workspaces, which the service itself cannot do. */
  async asSuperuser<R extends object>(statement: string): Promise<readonly R[]> {
    return withDedicatedClient(
      this.parts.testDatabase.superuserUrl,
      async (client) => (await client.query<R>(statement)).rows,
    );
  }

  /** Waits until every delivery was sent and every due job was done. */
  async waitUntilIdle(): Promise<void> {
    for (let quiet = 0, tries = 0; quiet < 2; tries += 1) {
      if (tries > 8_000) throw new Error(`the service does not come to rest: ${JSON.stringify(await this.jobs())}`);
      await this.outbox.waitUntilIdle();
      const jobs = await this.jobs();
      quiet = jobs.length === 0 ? quiet + 1 : 0;
      if (quiet < 2) await sleep(quiet === 1 ? CONFIRM_MS : POLL_INTERVAL_MS);
    }
  }

  /** Runs delayed jobs now, such as those that failed. */
  async hurry(): Promise<void> {
    // The database clock decides when a job is due, and a test cannot move it.
    await this.asSuperuser(
      `update ${JOB_TABLE} set run_at = now() where locked_at is null and attempts < max_attempts`,
    );
    await this.waitUntilIdle();
  }

  /** Syncs all installations, as the service does every quarter of an hour. */
  async resync(): Promise<void> {
    await this.app.get(SyncJobs).enqueueAll();
    await this.waitUntilIdle();
  }

  /** Stops everything. Throws if a secret was found in the log, a response or a table. */
  async stop(): Promise<void> {
    const { app, secretLeaks, database, github, issuer, lines, outbox, testDatabase } = this.parts;
    await outbox.stop();
    await app.close();
    await app.get(JobWorker).stop();
    await github.stop();
    await issuer.stop();
    await database.close();
    secretLeaks.search('the log', lines.join(''));
    await secretLeaks.searchDatabase(testDatabase.superuserUrl);
    await testDatabase.drop();
    if (secretLeaks.leaks.length > 0) throw new Error(`Secrets came out: ${secretLeaks.leaks.join('; ')}.`);
  }

  private async jobs(): Promise<readonly object[]> {
    // A prepared statement, because tests run this query most often.
    const { rows } = await this.database.pool.query<object>({
      name: 'due_jobs',
      text: `select job.task_identifier, job.attempts, job.last_error from graphile_worker.jobs job
             where job.run_at < now() + interval '1 second' and job.attempts < job.max_attempts`,
    });
    return rows;
  }
}
