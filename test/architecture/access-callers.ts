import { KEY_SCOPES, type KeyScope } from '../../src/domain/keys/key-scope.js';
import type { UserSession } from '../support/user-session.js';
import type { AccessScenario } from './access-scenario.js';

/** A caller with its credential: pages of the dashboard send a cookie, programs a bearer token. */
export interface AccessCaller {
  readonly user: UserSession | null;
  readonly headers: Readonly<Record<string, string>>;
}

const NEEDED: Readonly<Record<string, KeyScope>> = {
  'POST /api/evidence/upload': 'evidence:write',
  'POST /api/evidence/upload-report': 'evidence:write',
  'POST /api/artifacts': 'evidence:write',
  'POST /api/deployments': 'deployment:write',
  'PUT /api/environments/:name/running': 'deployment:write',
  'GET /api/milestones/check': 'gate:read',
  'GET /api/milestones/resolve': 'gate:read',
  'GET /api/milestones/:id/statement': 'gate:read',
  'GET /api/policy/check': 'gate:read',
};

/** The columns of the table. Each creates a new caller. */
export const CALLERS: Readonly<Record<string, (scenario: AccessScenario, route: string) => Promise<AccessCaller>>> = {
  visitor: async () => ({ user: null, headers: {} }),
  /** An admin of another workspace, with that workspace selected. */
  outsider: async (scenario) => fromPage(scenario, await scenario.createUser('admin', scenario.elsewhere)),
  member: async (scenario) => fromPage(scenario, await scenario.createUser('member')),
  /** A member who may read the audit log. */
  auditor: async (scenario) => fromPage(scenario, await scenario.auditor()),
  admin: async (scenario) => fromPage(scenario, await scenario.createUser('admin')),
  /** A platform admin who is no member of any workspace. */
  platform: async (scenario) => fromPage(scenario, await scenario.operator()),
  /** An API key with every scope except the one that the route requires. */
  'narrow-key': async (scenario, route) => {
    const scopes = KEY_SCOPES.filter((scope) => scope !== NEEDED[route]);
    return withBearer(await scenario.key(...scopes));
  },
  key: async (scenario) => withBearer(await scenario.key(...KEY_SCOPES)),
  /** The identity token of a run of the repository in the workspace. */
  token: async (scenario) => withBearer(await scenario.identityToken()),
  /** The personal key of an admin with the scope write. */
  tools: async (scenario) => withBearer((await scenario.personalKey(await scenario.createUser('admin'))).secret),
};

const fromPage = ({ env }: AccessScenario, user: UserSession): AccessCaller => ({
  user,
  headers: { cookie: user.cookie, origin: env.baseUrl },
});

const withBearer = (secret: string): AccessCaller => ({
  user: null,
  headers: { authorization: `Bearer ${secret}` },
});
