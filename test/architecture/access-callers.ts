import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import type { UserSession } from '../support/signed-in.js';
import type { AccessScene } from './access-scene.js';

/** Who shows what: the dashboard's pages send a cookie, programs a bearer. */
export interface AccessCaller {
  readonly person: UserSession | null;
  readonly headers: Readonly<Record<string, string>>;
}

const NEEDED: Readonly<Record<string, KeyScope>> = {
  'POST /api/evidence/upload': 'evidence:write',
  'POST /api/evidence/upload-report': 'evidence:write',
  'GET /api/milestones/check': 'gate:read',
  'GET /api/policy/check': 'gate:read',
};

/** The columns of the table; each makes a caller that has done nothing yet. */
export const CALLERS: Readonly<Record<string, (scene: AccessScene, route: string) => Promise<AccessCaller>>> = {
  nobody: async () => ({ person: null, headers: {} }),
  /** An admin of another workspace, who works in it. */
  outsider: async (scene) => fromPage(scene, await scene.person('admin', scene.elsewhere)),
  member: async (scene) => fromPage(scene, await scene.person('member')),
  admin: async (scene) => fromPage(scene, await scene.person('admin')),
  /** A platform admin, who belongs to no workspace. */
  platform: async (scene) => fromPage(scene, await scene.operator()),
  /** An API key with every scope but the one that the route asks for. */
  'narrow-key': async (scene, route) => {
    const scopes = (['evidence:write', 'gate:read'] as const).filter((scope) => scope !== NEEDED[route]);
    return withBearer(await scene.key(...scopes));
  },
  key: async (scene) => withBearer(await scene.key('evidence:write', 'gate:read')),
  /** The identity token of a run of the workspace's repository. */
  token: async (scene) => withBearer(await scene.identityToken()),
  /** An admin's personal key that may change things. */
  tools: async (scene) => withBearer((await scene.personalKey(await scene.person('admin'))).secret),
};

const fromPage = ({ world }: AccessScene, person: UserSession): AccessCaller => ({
  person,
  headers: { cookie: person.cookie, origin: world.baseUrl },
});

const withBearer = (secret: string): AccessCaller => ({
  person: null,
  headers: { authorization: `Bearer ${secret}` },
});
