import { randomBytes, randomUUID } from 'node:crypto';
import { Body, Controller, Get, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CiAuth, CurrentCaller, CurrentCredential, Public, Requires } from '../../../src/auth/access.decorators.js';
import { type CiCaller, type UnresolvedCredential, MembershipRefresher } from '../../../src/auth/caller.js';
import { CredentialsQueries } from '../../../src/auth/credentials.queries.js';
import { Database } from '../../../src/database/database.js';
import { type OrgId, toOrgId } from '../../../src/database/ids.js';
import type { ApiKeyDto } from '../../../src/features/keys/api-keys.dto.js';
import { type NewApiKey, ApiKeysService } from '../../../src/features/keys/api-keys.service.js';
import { createApp } from '../../../src/http/app.factory.js';
import { createLineLogger } from '../../../src/observability/logger.js';
import { WorkspacesModule } from '../../../src/workspaces/workspaces.module.js';
import { WorkspacesQueries } from '../../../src/workspaces/workspaces.queries.js';
import { OidcIssuer } from '../../github-sim/oidc/oidc-issuer.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { guardedModule } from '../../support/guarded-module.js';
import { readTestEnvironment } from '../../support/read-test-environment.js';
import { FixedClock } from '../../support/fixed-clock.js';

/** The workspace of the organization in the issuer's default tokens, and another one. */
export const ACME = { githubId: 3001, orgId: toOrgId(randomUUID()), login: 'acme' };
export const OTHER = { githubId: 3002, orgId: toOrgId(randomUUID()), login: 'other' };

/** The operator of the service, who acts in a workspace. */
export const operator = (orgId: OrgId = ACME.orgId) => ({ kind: 'operator', orgId }) as const;

/** The callers of the upload route. A rejected credential adds none. */
export const stored: CiCaller[] = [];

/** Routes like those of the service, which return their caller. */
@Controller('probe')
class AccessProbeController {
  constructor(
    private readonly keys: CredentialsQueries,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  @Post('upload')
  @CiAuth('evidence:write')
  upload(@CurrentCaller() caller: CiCaller, @Body() _body: object): CiCaller {
    stored.push(caller);
    return caller;
  }

  @Get('gate')
  @CiAuth('gate:read')
  gate(@CurrentCaller() caller: CiCaller): CiCaller {
    return caller;
  }

  @Get('gate-in-hand')
  @CiAuth('gate:read', { tenantBy: 'handler' })
  async gateInHand(@CurrentCredential() credential: UnresolvedCredential): Promise<CiCaller> {
    return credential.kind === 'api_key'
      ? credential.authorize(await this.keys.findApiKeyByHash(credential.secretHash))
      : credential.authorize(await this.workspaces.findByOwner(credential.claims.ownerGithubId));
  }

  @Get('public')
  @Public()
  public(): object {
    return { for: 'all callers' };
  }

  @Get('member')
  @Requires('member')
  member(): object {
    return { for: 'members' };
  }

  @Post('undeclared')
  undeclared(@Body() body: CiCaller): object {
    stored.push(body);
    return { for: 'no caller' };
  }
}

export interface AccessRequest {
  readonly method?: 'GET' | 'POST';
  readonly url?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

export interface AccessAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The guard, the keys and the limits of the service with the routes of the probe and two workspaces. */
export class AccessProbe {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly clock: FixedClock,
    readonly issuer: OidcIssuer,
    private readonly database: Database,
    readonly testDatabase: TestDatabase,
  ) {}

  static async start(variables: Readonly<Record<string, string>> = {}): Promise<AccessProbe> {
    const clock = new FixedClock();
    const [testDatabase, issuer] = await Promise.all([createTestDatabase(), OidcIssuer.start({ clock })]);
    const environment = readTestEnvironment({ OIDC_ISSUER: issuer.url, RATE_LIMITS: 'off', ...variables });
    const database = await Database.open({ url: testDatabase.appUrl });
    const module = guardedModule(
      { database, clock, renewal: new NoRenewal() },
      { imports: [WorkspacesModule], providers: [CredentialsQueries], controllers: [AccessProbeController] },
    );
    const app = await createApp(module, environment, createLineLogger('silent', process.stdout));
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const probe = new AccessProbe(app, clock, issuer, database, testDatabase);
    await probe.addWorkspace(ACME);
    await probe.addWorkspace(OTHER);
    return probe;
  }

  get keys(): ApiKeysService {
    return this.app.get(ApiKeysService, { strict: false });
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.close();
    await Promise.all([this.issuer.stop(), this.testDatabase.drop()]);
  }

  async send({ method, url = '/probe/upload', bearer, headers, remoteAddress }: AccessRequest): Promise<AccessAnswer> {
    const response = await this.app.inject({
      method: method ?? (url === '/probe/upload' ? 'POST' : 'GET'),
      url,
      remoteAddress: remoteAddress ?? '192.0.2.1',
      headers: { ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...headers },
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  }

  /** Creates a key of the first workspace with all scopes, and with the given changes. */
  async givenKey(
    order: Partial<NewApiKey> = {},
    orgId = ACME.orgId,
  ): Promise<{ readonly secret: string; readonly key: ApiKeyDto }> {
    const { key: secret, ...key } = await this.keys.create(operator(orgId), {
      name: 'Jenkins',
      scopes: ['evidence:write', 'gate:read'],
      repos: null,
      expiresAt: null,
      ...order,
    });
    return { secret, key };
  }

  async givenRepository(orgId: OrgId): Promise<string> {
    const id = randomUUID();
    await this.database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         values ($1, $2, $3, $4, true, 'main', $5, $5)`,
        [orgId, id, randomBytes(4).readUInt32BE() + 1, `payments-${id.slice(0, 8)}`, this.clock.now()],
      ),
    );
    return id;
  }

  private async addWorkspace({ orgId, githubId, login }: typeof ACME): Promise<void> {
    await this.app
      .get(Database)
      .inTenant(orgId, (tx) =>
        tx.query('insert into organization (org_id, github_id, login, created_at) values ($1, $2, $3, $4)', [
          orgId,
          githubId,
          login,
          this.clock.now(),
        ]),
      );
  }
}

/** No user signs in here. */
class NoRenewal extends MembershipRefresher {
  override async refresh(): Promise<null> {
    return null;
  }
}
