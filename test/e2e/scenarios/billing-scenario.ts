import type { Organization } from '../../github-sim/state/organization.js';
import type { User } from '../../github-sim/state/user.js';
import { type JsonAnswer, type UserSession, signIn } from '../../support/user-session.js';
import { TestEnvironment } from '../../support/test-environment.js';

// Below every id that the simulated GitHub assigns, so that it can be configured before any user has one.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;

export const REQUESTS = '/api/billing/upgrade-requests';
/** The id of an unknown request. */
export const UNKNOWN = '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b';

export const idOf = ({ body }: JsonAnswer): string => String(body['id']);

export const statusesOf = (answers: readonly JsonAnswer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);

let workspaces = 0;

/** A workspace for one test, and the platform admin who decides its upgrade requests. */
export class BillingScenario {
  private constructor(
    readonly env: TestEnvironment,
    readonly organization: Organization,
    /** Makes the logins of this workspace unique. */
    readonly number: number,
    private sessions: { readonly operator: UserSession; readonly admin: UserSession; readonly member: UserSession },
  ) {}

  static startWorld(): Promise<TestEnvironment> {
    return TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
  }

  static async found(env: TestEnvironment): Promise<BillingScenario> {
    workspaces += 1;
    const organization = env.github.createOrganization({ login: `Orga-${workspaces}` });
    await env.install(organization);
    const [operator, admin, member] = await Promise.all([
      signIn(env, OPERATOR, { role: null }),
      signIn(env, env.github.createUser({ login: `ada-${workspaces}` }), { role: 'admin', organization }),
      signIn(env, env.github.createUser({ login: `mel-${workspaces}` }), { organization }),
    ]);
    return new BillingScenario(env, organization, workspaces, { operator, admin, member });
  }

  get operator(): UserSession {
    return this.sessions.operator;
  }

  get admin(): UserSession {
    return this.sessions.admin;
  }

  get member(): UserSession {
    return this.sessions.member;
  }

  /** Signs both users in again after their sessions expired. */
  async comeBack(): Promise<void> {
    const { env, organization, admin } = this;
    this.sessions = {
      ...this.sessions,
      operator: await signIn(env, OPERATOR, { role: null }),
      admin: await signIn(env, admin.user, { role: 'admin', organization }),
    };
  }

  request(note?: string): Promise<JsonAnswer> {
    return this.admin.send('POST', REQUESTS, note === undefined ? {} : { note });
  }

  async billing(of = this.member): Promise<object> {
    return (await of.get('/api/billing')).body;
  }

  approve(id: string, body: object = { paymentReference: 'INV-1' }): Promise<JsonAnswer> {
    return this.operator.send('POST', `/api/platform/upgrade-requests/${id}/approve`, body);
  }

  reject(id: string, body: object = { reason: 'not paid' }): Promise<JsonAnswer> {
    return this.operator.send('POST', `/api/platform/upgrade-requests/${id}/reject`, body);
  }

  downgrade(org: string, body: object = { reason: 'payment returned' }): Promise<JsonAnswer> {
    return this.operator.send('POST', `/api/platform/workspaces/${org}/downgrade`, body);
  }

  /** The requests of all workspaces. */
  async listed(query = ''): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { body } = await this.operator.get(`/api/platform/upgrade-requests${query}`);
    return body['requests'] as readonly Record<string, unknown>[];
  }

  isOwn({ org }: Readonly<Record<string, unknown>>): boolean {
    return org === this.organization.login;
  }

  /** The entries of the audit log, oldest first. */
  async audited(): Promise<readonly object[]> {
    const entries = (await this.admin.get('/api/audit')).body['entries'] as readonly Record<string, unknown>[];
    return entries
      .toReversed()
      .map(({ actor, action, subject, data }) => [(actor as { login: string }).login, action, subject, data]);
  }
}
