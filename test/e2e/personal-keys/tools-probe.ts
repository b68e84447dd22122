import { randomUUID } from 'node:crypto';
import { Controller, Get, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CiAuth, CurrentCaller, PersonalKey, Requires } from '../../../src/auth/access.decorators.js';
import { type CiCaller, MembershipRefresher, type PersonalKeyCaller } from '../../../src/auth/caller.js';
import { KeyUsageRepository } from '../../../src/auth/key-usage.repository.js';
import type { Membership, MemberRole, User } from '../../../src/auth/user.js';
import { Database, type Viewer } from '../../../src/database/database.js';
import { withDedicatedClient } from '../../../src/database/dedicated-client.js';
import { type OrgId, toOrgId } from '../../../src/database/ids.js';
import type { PersonalKeyScope } from '../../../src/domain/keys/key-scope.js';
import { ApiKeysService } from '../../../src/features/keys/api-keys.service.js';
import { PersonalKeysRepository } from '../../../src/features/keys/personal-keys.repository.js';
import { PersonalKeysService } from '../../../src/features/keys/personal-keys.service.js';
import { createApp } from '../../../src/http/app.factory.js';
import { RateLimited } from '../../../src/http/rate-limit/rate-limit.guard.js';
import { createLineLogger } from '../../../src/observability/logger.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { guardedModule } from '../../support/guarded-module.js';
import { readTestEnvironment } from '../../support/read-test-environment.js';
import { FixedClock } from '../../support/fixed-clock.js';

/**
 * The login of the organization of every workspace of the probe. The organization has an installation unless a test
 * removes it.
 */
const ORG = 'acme';

/** Routes like those of the remote tools, which return their caller. */
@Controller('probe')
class ToolsProbeController {
  @Get('look')
  @PersonalKey('read')
  @RateLimited('session')
  echo(@CurrentCaller() caller: PersonalKeyCaller): PersonalKeyCaller {
    return caller;
  }

  @Post('change')
  @PersonalKey('write')
  change(@CurrentCaller() caller: PersonalKeyCaller): PersonalKeyCaller {
    return caller;
  }

  @Get('gate')
  @CiAuth('gate:read')
  gate(@CurrentCaller() caller: CiCaller): CiCaller {
    return caller;
  }

  @Get('page')
  @Requires('member')
  page(): object {
    return {};
  }
}

/** Answers membership checks in place of GitHub, as configured by a test. */
export class FakeMembershipRefresher extends MembershipRefresher {
  readonly requested: number[] = [];
  answer: (known: Membership) => Membership | null = (known) => known;

  override async refresh(userId: number, known: Membership): Promise<Membership | null> {
    this.requested.push(userId);
    return this.answer(known);
  }
}

interface ToolsRequest {
  readonly method?: 'GET' | 'POST';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly remoteAddress?: string;
}

interface ToolsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The guard and the keys of the service with the routes of the probe. */
export class ToolsProbe {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly clock: FixedClock,
    readonly renewal: FakeMembershipRefresher,
    private readonly database: Database,
    readonly testDatabase: TestDatabase,
    private count = 0,
  ) {}

  static async start(variables: Readonly<Record<string, string>> = {}): Promise<ToolsProbe> {
    const clock = new FixedClock();
    const renewal = new FakeMembershipRefresher();
    const testDatabase = await createTestDatabase();
    const database = await Database.open({ url: testDatabase.appUrl });
    const environment = readTestEnvironment({ RATE_LIMITS: 'off', ...variables });
    const log = createLineLogger('silent', process.stdout);
    const module = guardedModule(
      { database, clock, renewal },
      { providers: [PersonalKeysService, PersonalKeysRepository], controllers: [ToolsProbeController] },
    );
    const app = await createApp(module, environment, log);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new ToolsProbe(app, clock, renewal, database, testDatabase);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.close();
    await this.testDatabase.drop();
  }

  async send(key: string | null, { url = '/probe/look', ...request }: ToolsRequest = {}): Promise<ToolsAnswer> {
    const response = await this.app.inject({
      method: request.method ?? (url === '/probe/change' ? 'POST' : 'GET'),
      url,
      remoteAddress: request.remoteAddress ?? '192.0.2.1',
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...request.headers },
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  }

  /** Creates a confirmed member of a new workspace, with a key. */
  async givenKey({ scope = 'read', role = 'member' }: { scope?: PersonalKeyScope; role?: MemberRole } = {}): Promise<{
    readonly secret: string;
    readonly keyId: string;
    readonly owner: {
      readonly kind: 'member';
      readonly orgId: OrgId;
      readonly user: User;
      readonly viewer: Viewer;
    };
  }> {
    const id = 7000 + (this.count += 1);
    const orgId = toOrgId(randomUUID());
    const user: User = { id, login: `person-${id}`, name: 'Ada', avatarUrl: `https://avatars.example/${id}` };
    const now = this.clock.now();
    await this.database.inTenant(orgId, async (tx) => {
      await tx.query(
        `insert into organization (org_id, github_id, login, installation_id, created_at) values ($1, $2, $3, $2, $4)`,
        [orgId, id, ORG, now],
      );
      await tx.query(
        `select upsert_user($1::bigint, $2, $3, $4, null, null::timestamptz, null, null::timestamptz, $5::timestamptz)`,
        [id, user.login, user.name, user.avatarUrl, now],
      );
      await tx.query(
        `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
         values ($1, $2, $3, $4, $4, $4)`,
        [orgId, id, role, now],
      );
    });
    const owner = { kind: 'member', orgId, user, viewer: { orgId, userId: id } } as const;
    const key = await this.app.get(PersonalKeysService, { strict: false }).create(owner, { name: 'editor', scope });
    return { secret: key.key, keyId: key.id, owner };
  }

  async givenApiKey(orgId: OrgId): Promise<string> {
    const order = { name: 'ci', scopes: ['gate:read'], repos: null, expiresAt: null } as const;
    return (await this.app.get(ApiKeysService, { strict: false }).create({ kind: 'operator', orgId }, order)).key;
  }

  get keys(): PersonalKeysService {
    return this.app.get(PersonalKeysService, { strict: false });
  }

  /** The time of the last use of the key, after all uses so far were saved. */
  async lastUse(keyId: string): Promise<Date | null> {
    await this.app.get(KeyUsageRepository, { strict: false }).flush();
    const [row] = await this.asSuperuser<{ last_used_at: Date | null }>(
      `select last_used_at from personal_key where id = '${keyId}'`,
    );
    return row?.last_used_at ?? null;
  }

  async asSuperuser<R extends object>(statement: string): Promise<readonly R[]> {
    return withDedicatedClient(
      this.testDatabase.superuserUrl,
      async (client) => (await client.query<R>(statement)).rows,
    );
  }
}
