import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { readTestEnvironment } from '../../../test/support/read-test-environment.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { hashSecret } from '../../crypto/digests.js';
import { NO_USER_ID } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import type { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import type { AccessLevel, SessionRule } from '../access.decorators.js';
import type { MemberCaller, MembershipRefresher, UserCaller } from '../caller.js';
import type { User } from '../user.js';
import { SessionAuthService } from './session-auth.service.js';
import type { SelectedMembership, SessionRecord, SessionsRepository } from './sessions.repository.js';

const BASE_URL = 'https://gate.example';
/** How long a membership is fresh. */
const QUARTER_MS = 15 * 60_000;
/** How far the clock of another process may be ahead. */
const MINUTE_MS = 60_000;
const ID_HASH = hashSecret('the id of a session');
const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const ada: User = { id: 7, login: 'ada', name: 'Ada', avatarUrl: 'https://host.example/7' };
const operator: User = { ...ada, id: 99 };

type Sent = Pick<FastifyRequest, 'method' | 'headers' | 'query'>;

const clock = new FixedClock();
const touch = jest.fn<SessionsRepository['touch']>();
const refresh = jest.fn<MembershipRefresher['refresh']>();
const authenticator = new SessionAuthService(
  { touch } as unknown as SessionsRepository,
  { refresh },
  clock,
  readTestEnvironment({ BASE_URL, PLATFORM_ADMINS: '98,99' }),
  { isFirstSyncPending: () => Promise.resolve(false) } as unknown as WorkspacesQueries,
);

const ago = (milliseconds: number): Date => new Date(clock.now().getTime() - milliseconds);

const membership = (differing: Partial<SelectedMembership> = {}): SelectedMembership => ({
  orgId,
  org: 'acme',
  role: 'member',
  confirmedAt: clock.now(),
  accessObservedAt: clock.now(),
  auditor: false,
  ...differing,
});
const session = (differing: Partial<SessionRecord> = {}): SessionRecord => ({
  user: ada,
  lastSeenAt: ago(1),
  membership: membership(),
  ...differing,
});
const memberCaller = {
  kind: 'member',
  user: ada,
  orgId,
  org: 'acme',
  role: 'member',
  viewer: { orgId, userId: 7 },
  session: ID_HASH,
  platformAdmin: false,
};

/** The session of the request. */
let presented: SessionRecord;

const requestOf = (method = 'GET', headers: Readonly<Record<string, string>> = {}, query: object = {}): Sent => ({
  method,
  headers,
  query,
});
const admit = (
  request: Sent,
  role: AccessLevel,
  options: Pick<SessionRule, 'workspaceInQuery'> = {},
): Promise<UserCaller | MemberCaller> =>
  authenticator.authorize(request, { idHash: ID_HASH, ...presented }, { kind: 'session', role, ...options });

beforeEach(() => {
  jest.resetAllMocks();
  presented = session();
});

describe('SessionAuthService.authorize', () => {
  it('authorizes a member who has selected the workspace, and records the use of the session', async () => {
    expect(await admit(requestOf(), 'member')).toEqual(memberCaller);
    expect(touch.mock.calls).toEqual([[ID_HASH, session()]]);
    expect(refresh).not.toHaveBeenCalled();
  });

  it('rejects a page of another site for any role, and records no use', async () => {
    presented = session({ user: operator, membership: membership({ role: 'admin' }) });
    const forged = requestOf('POST', { origin: 'https://evil.example' });
    for (const role of ['user', 'member', 'admin', 'platform_admin'] as const) {
      await expect(admit(forged, role)).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('Cross-origin request rejected'),
      });
    }
    expect(touch).not.toHaveBeenCalled();
  });

  it('accepts a page of the service', async () => {
    expect(await admit(requestOf('POST', { origin: BASE_URL }), 'member')).toEqual(memberCaller);
  });

  it('accepts every signed-in user if no workspace is required, and reads no workspace', async () => {
    for (const known of [null, membership(), membership({ confirmedAt: ago(QUARTER_MS) })]) {
      presented = session({ membership: known });
      expect(await admit(requestOf(), 'user')).toEqual({
        kind: 'user',
        user: ada,
        session: ID_HASH,
        platformAdmin: false,
      });
    }
    expect(refresh).not.toHaveBeenCalled();
  });

  it('recognizes a platform admin by id, in any workspace', async () => {
    presented = session({ user: operator, membership: null });
    const caller = { kind: 'user', user: operator, session: ID_HASH, platformAdmin: true };
    expect(await admit(requestOf(), 'platform_admin')).toEqual(caller);
    expect(await admit(requestOf(), 'user')).toEqual(caller);
    presented = session({ user: operator });
    expect(await admit(requestOf(), 'member')).toMatchObject({ kind: 'member', platformAdmin: true });
  });

  it('does not accept an admin of a workspace as a platform admin', async () => {
    presented = session({ membership: membership({ role: 'admin' }) });
    await expect(admit(requestOf(), 'platform_admin')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This needs a platform admin.',
    });
  });

  it('does not accept a platform admin as an admin or a member of the workspace', async () => {
    presented = session({ user: operator });
    await expect(admit(requestOf(), 'admin')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This needs an admin of the workspace.',
    });
    presented = session({ user: operator, membership: null });
    for (const role of ['member', 'admin'] as const) {
      await expect(admit(requestOf(), role)).rejects.toMatchObject({ code: 'forbidden' });
    }
  });

  it('accepts an auditor on routes for auditors and for members, but not on those for admins', async () => {
    await expect(admit(requestOf(), 'auditor')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This needs an auditor or an admin of the workspace.',
    });
    presented = session({ membership: membership({ auditor: true }) });
    for (const role of ['auditor', 'member'] as const) expect(await admit(requestOf(), role)).toEqual(memberCaller);
    await expect(admit(requestOf(), 'admin')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This needs an admin of the workspace.',
    });
  });

  it('accepts an admin on routes for admins, for auditors and for members', async () => {
    presented = session({ membership: membership({ role: 'admin' }) });
    for (const role of ['admin', 'auditor', 'member'] as const) {
      expect(await admit(requestOf(), role)).toEqual({ ...memberCaller, role: 'admin' });
    }
  });

  it('forbids a user without a workspace routes that need one', async () => {
    presented = session({ membership: null });
    await expect(admit(requestOf(), 'member')).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('not a member of a selected workspace'),
    });
    expect(refresh).not.toHaveBeenCalled();
  });
});

describe('a request that names a workspace', () => {
  const naming = (org: string): Sent => requestOf('GET', { 'x-workspace': org });
  const MEMBERS = ['user', 'member', 'admin'] as const;

  beforeEach(() => {
    presented = session({ membership: membership({ role: 'admin' }) });
  });

  it.each(['acme', 'ACME'])('is authorized if the session works in it: %s', async (org) => {
    for (const role of MEMBERS) expect(await admit(naming(org), role)).toMatchObject({ user: ada });
  });

  it.each(['globex', 'acm', 'acme2', 'acme, acme', ' acme'])(
    'is a conflict if the session works in another one, and records no use: %j',
    async (org) => {
      for (const role of [...MEMBERS, 'platform_admin'] as const) {
        await expect(admit(naming(org), role)).rejects.toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('Your session works in another workspace'),
        });
      }
      expect(touch).not.toHaveBeenCalled();
    },
  );

  it('is decided by the access level if the session has no workspace', async () => {
    presented = session({ membership: null });
    expect(await admit(naming('acme'), 'user')).toMatchObject({ user: ada });
    await expect(admit(naming('acme'), 'member')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each(['', 'a'.repeat(101)])('is invalid if the name cannot be a login: %j', async (org) => {
    await expect(admit(naming(org), 'user')).rejects.toMatchObject({
      code: 'invalid',
      message: 'X-Workspace must be the login of one organization.',
    });
  });

  it('can name it in the query if the route allows that', async () => {
    const inQuery = { workspaceInQuery: true };
    const query = { workspace: 'acme', format: 'csv' };
    await admit(requestOf('GET', {}, query), 'member', inQuery);
    expect(query).toEqual({ format: 'csv' });
    const queryOf = (workspace: unknown): Sent => requestOf('GET', {}, { workspace });
    expect(await admit(queryOf('acme'), 'member', inQuery)).toMatchObject({ org: 'acme' });
    await expect(admit(queryOf('globex'), 'member', inQuery)).rejects.toMatchObject({ code: 'conflict' });
    await expect(admit(queryOf(['acme', 'acme']), 'member', inQuery)).rejects.toMatchObject({
      code: 'invalid',
      message: 'workspace must be the login of one organization.',
    });
    expect(await admit(queryOf('globex'), 'member')).toMatchObject({ org: 'acme' });
  });

  it('must name the same in the header and in the query', async () => {
    const both = requestOf('GET', { 'x-workspace': 'acme' }, { workspace: 'globex' });
    await expect(admit(both, 'member', { workspaceInQuery: true })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a request in the background', () => {
  it('does not count as use of the session if it only reads', async () => {
    for (const method of ['GET', 'HEAD']) {
      expect(await admit(requestOf(method, { 'x-background': '1' }), 'member')).toEqual(memberCaller);
    }
    expect(touch).not.toHaveBeenCalled();
  });

  it.each([
    ['POST', '1'],
    ['DELETE', '1'],
    ['GET', '0'],
    ['GET', 'true'],
    ['GET', '1, 1'],
  ])('counts as use otherwise: %s with %s', async (method, value) => {
    await admit(requestOf(method, { origin: BASE_URL, 'x-background': value }), 'member');
    expect(touch).toHaveBeenCalledTimes(1);
  });
});

describe('SessionAuthService.findMember', () => {
  it('uses the membership for a quarter of an hour, and then checks it again', async () => {
    const known = membership({ confirmedAt: ago(QUARTER_MS - 1), accessObservedAt: ago(QUARTER_MS - 1) });
    expect(await authenticator.findMember(ada, known)).toMatchObject({ viewer: { orgId, userId: 7 } });
    expect(refresh).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<SelectedMembership>]>([
    ['for the membership', { confirmedAt: ago(QUARTER_MS) }],
    ['for the repository access', { accessObservedAt: ago(QUARTER_MS) }],
    ['for the repository access, which was never confirmed', { accessObservedAt: null }],
    ['for the membership, at a future time', { confirmedAt: ago(-MINUTE_MS) }],
    ['for the repository access, at a future time', { accessObservedAt: ago(-MINUTE_MS) }],
  ])(
    'checks the membership again if a confirmation is too old or invalid (%s), and uses the result',
    async (_, differing) => {
      const known = membership(differing);
      refresh.mockResolvedValue(membership({ role: 'admin', org: 'acme-renamed' }));
      expect(await authenticator.findMember(ada, known)).toEqual({
        user: ada,
        orgId,
        org: 'acme-renamed',
        role: 'admin',
        viewer: { orgId, userId: 7 },
      });
      expect(refresh.mock.calls).toEqual([[7, known]]);
    },
  );

  it('rejects a user who left the organization', async () => {
    refresh.mockResolvedValue(null);
    expect(await authenticator.findMember(ada, membership({ confirmedAt: ago(QUARTER_MS) }))).toBeNull();
  });

  it('rejects all users of an expired membership while GitHub is unavailable', async () => {
    const away = new Error('GitHub does not answer');
    refresh.mockRejectedValue(away);
    const known = membership({ confirmedAt: ago(QUARTER_MS) });
    await expect(authenticator.findMember(ada, known)).rejects.toBe(away);
  });

  it('shows no private repository to a user whose access is unknown', async () => {
    for (const accessObservedAt of [null, ago(QUARTER_MS), ago(-MINUTE_MS)]) {
      refresh.mockResolvedValue(membership({ accessObservedAt }));
      expect(await authenticator.findMember(ada, membership({ accessObservedAt: null }))).toMatchObject({
        viewer: { orgId, userId: NO_USER_ID },
      });
    }
  });

  it("evaluates the access of the user at the time of GitHub's response", async () => {
    const moving = new FixedClock(clock.now());
    const waiting = new SessionAuthService(
      { touch } as unknown as SessionsRepository,
      { refresh },
      moving,
      readTestEnvironment({}),
      { isFirstSyncPending: () => Promise.resolve(false) } as unknown as WorkspacesQueries,
    );
    refresh.mockImplementation(() => {
      moving.advance(5_000);
      return Promise.resolve(membership({ confirmedAt: moving.now(), accessObservedAt: moving.now() }));
    });
    expect(await waiting.findMember(ada, membership({ accessObservedAt: null }))).toMatchObject({
      viewer: { orgId, userId: 7 },
    });
  });

  it('rejects a user who was never a member, without a request to GitHub', async () => {
    expect(await authenticator.findMember(ada, null)).toBeNull();
    expect(refresh).not.toHaveBeenCalled();
  });
});
