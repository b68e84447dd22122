import { randomUUID } from 'node:crypto';
import { junit } from '../support/ci-run.js';
import type { UserSession } from '../support/signed-in.js';
import { type AccessScene, VERSION } from './access-scene.js';

/** What fills a route: an ordinary request that would be granted to whoever may. */
export interface AccessRequest {
  /** In place of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form. */
  readonly body?: object;
}

/** Made anew for each request; `caller` is the person who sends it, null where it is none. */
type MakeRequest = (scene: AccessScene, caller: UserSession | null) => Promise<AccessRequest> | AccessRequest;

const newMember = async (scene: AccessScene) => ({ userId: String((await scene.person('member')).user.id) });
const belongsHere = (scene: AccessScene, caller: UserSession): Promise<boolean> =>
  caller.get('/api/auth/me').then(({ body }) => {
    const workspace = body['workspace'] as { readonly org: string } | null;
    return workspace?.org === scene.world.organization.login;
  });

/** Of every route that needs more than its path. */
export const ACCESS_REQUESTS: Readonly<Record<string, MakeRequest>> = {
  'GET /assets/:name': () => ({ params: { name: 'shipgate.css' } }),
  'POST /api/auth/workspace': () => ({ body: { org: 'acme' } }),
  'DELETE /api/billing/upgrade-requests/:id': async (scene) => ({ params: { id: await scene.upgradeRequestId() } }),
  'POST /api/billing/upgrade-requests': async (scene) => {
    await scene.givePlan('free');
    return { body: { note: 'PO 4711' } };
  },
  'POST /api/platform/upgrade-requests/:id/approve': async (scene) => ({
    params: { id: await scene.upgradeRequestId() },
    body: { paymentReference: 'INV-1' },
  }),
  'POST /api/platform/upgrade-requests/:id/reject': async (scene) => ({
    params: { id: await scene.upgradeRequestId() },
    body: { reason: 'not paid' },
  }),
  'POST /api/platform/workspaces/:org/downgrade': async (scene) => {
    await scene.givePlan('pro');
    return { params: { org: 'acme' }, body: { reason: 'payment returned' } };
  },
  'POST /api/config/setup': ({ world: { githubApp } }) => ({
    body: {
      setupCode: 'A1B2C-D3E4F-G5H6J-K7M8N',
      appId: String(githubApp.id),
      clientId: githubApp.clientId,
      clientSecret: githubApp.clientSecret,
      webhookSecret: githubApp.webhookSecret,
      privateKey: githubApp.privateKey,
    },
  }),
  'POST /api/evidence/upload': () => ({
    body: {
      repo: 'acme/payments',
      version: VERSION,
      pipeline: 'build',
      metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } },
    },
  }),
  'POST /api/evidence/upload-report': () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ repo: 'acme/payments', version: VERSION, pipeline: 'build' })) {
      body.set(name, value);
    }
    body.append('file', new File([junit(1)], 'junit.xml'));
    return { body };
  },
  'GET /api/evidence/:id': async (scene) => ({ params: { ...(await scene.report()) } }),
  'GET /api/evidence/:id/reports/:reportId': async (scene) => ({ params: { ...(await scene.report()) } }),
  'GET /api/milestones/:id/evidence': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'GET /api/quality/export': () => ({ query: { format: 'csv' } }),
  'POST /api/history': async (scene) => ({ body: { milestoneId: await scene.deployableId() } }),
  'GET /api/milestones/:owner/:repo': async (scene) => {
    await scene.openRepositoryId();
    return { params: { owner: 'acme', repo: 'orders' } };
  },
  'GET /api/milestones/check': () => ({ query: { repo: 'acme/payments', version: VERSION } }),
  'GET /api/policy/check': () => ({ query: { repo: 'acme/payments' } }),
  'POST /api/projects': () => ({ body: { name: randomUUID() } }),
  'GET /api/projects/:id': async (scene) => ({ params: { id: (await scene.project()).id } }),
  'PATCH /api/projects/:id': async (scene) => ({
    params: { id: (await scene.project()).id },
    body: { description: 'What belongs together.' },
  }),
  'DELETE /api/projects/:id': async (scene) => ({ params: { id: (await scene.project()).id } }),
  'PUT /api/projects/:id/repos/:repoId': async (scene) => ({ params: { ...(await scene.project()) } }),
  'DELETE /api/projects/:id/repos/:repoId': async (scene) => ({ params: { ...(await scene.project()) } }),
  'GET /api/repos/:repoId/workflow-update-status': async (scene) => ({
    params: { repoId: await scene.outdatedRepositoryId() },
  }),
  'POST /api/repos/:repoId/workflow-update-pr': async (scene) => ({
    params: { repoId: await scene.outdatedRepositoryId() },
  }),
  'POST /api/repos/:repoId/bootstrap': async (scene) => ({ params: { repoId: await scene.bareRepositoryId() } }),
  'POST /api/repos/:repoId/configure-rulesets': async (scene) => ({
    params: { repoId: await scene.openRepositoryId() },
  }),
  'GET /api/reviews/release/:id': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/freezes': () => ({ body: { from: '2099-12-20', to: '2099-12-31', reason: 'year end' } }),
  'DELETE /api/freezes/:id': async (scene) => ({ params: { id: await scene.freezeId() } }),
  'POST /api/milestones': async (scene, caller) => {
    const isOwn = caller !== null && (await belongsHere(scene, caller));
    return { body: await scene.releaseOrder(isOwn ? caller : null) };
  },
  'GET /api/milestones/:id': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/milestones/:id/evidence-pr': async (scene) => ({ params: { id: await scene.closedPullId() } }),
  'POST /api/milestones/:id/refresh': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/milestones/:id/start': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/milestones/:id/scope': async (scene, caller) => {
    const isOwn = caller !== null && (await belongsHere(scene, caller));
    const number = await scene.linkableIssue(isOwn ? caller : null);
    return { params: { id: await scene.overriddenId() }, body: { action: 'link', number } };
  },
  'GET /api/milestones/:id/waivers': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/milestones/:id/waivers': async (scene) => ({
    params: { id: await scene.overriddenId() },
    body: (await scene.overridden()).waiverOf(),
  }),
  'POST /api/milestones/:id/waivers/:waiverId/confirm': async (scene) => ({
    params: { id: await scene.overriddenId(), waiverId: await scene.waiverId() },
  }),
  'DELETE /api/milestones/:id/waivers/:waiverId': async (scene) => ({
    params: { id: await scene.overriddenId(), waiverId: await scene.waiverId() },
  }),
  'GET /api/milestones/:id/break-glass': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'POST /api/milestones/:id/break-glass': async (scene) => ({
    params: { id: await scene.overriddenId() },
    body: { sha: (await scene.overridden()).head(), reason: 'all is down' },
  }),
  'POST /api/milestones/:id/break-glass/confirm': async (scene) => {
    await scene.breakGlassId();
    return { params: { id: await scene.overriddenId() } };
  },
  'POST /api/milestones/:id/break-glass/:requestId/confirm': async (scene) => ({
    params: { id: await scene.overriddenId(), requestId: await scene.breakGlassId() },
  }),
  'DELETE /api/milestones/:id/break-glass/:requestId': async (scene) => ({
    params: { id: await scene.overriddenId(), requestId: await scene.breakGlassId() },
  }),
  'GET /api/milestones/:id/audit-pack': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'GET /api/milestones/:id/decisions': async (scene) => ({ params: { id: await scene.overriddenId() } }),
  'GET /api/milestones/:id/decisions/:decisionId': async (scene) => ({
    params: { id: await scene.overriddenId(), decisionId: await scene.decisionId() },
  }),
  'GET /api/milestones/:id/decisions/:decisionId/replay': async (scene) => ({
    params: { id: await scene.overriddenId(), decisionId: await scene.decisionId() },
  }),
  'POST /api/settings/api-keys': () => ({ body: { name: 'ci', scopes: ['gate:read'] } }),
  'DELETE /api/settings/api-keys/:id': async (scene) => ({ params: { id: await scene.apiKeyId() } }),
  'POST /api/settings/mcp-keys': () => ({ body: { name: 'editor', scope: 'read' } }),
  // One's own where one may have any: nobody else's can be named.
  'DELETE /api/settings/mcp-keys/:id': async (scene, caller) => {
    const isOwn = caller !== null && (await belongsHere(scene, caller));
    return { params: { id: (await scene.personalKey(isOwn ? caller : scene.admin)).id } };
  },
  'POST /api/team/invites': () => ({ body: { role: 'member' } }),
  'POST /api/team/invites/accept': async (scene) => ({ body: { token: (await scene.invite()).token } }),
  'DELETE /api/team/invites/:id': async (scene) => ({ params: { id: (await scene.invite()).id } }),
  'PATCH /api/team/members/:userId': async (scene) => ({ params: await newMember(scene), body: { role: 'admin' } }),
  'DELETE /api/team/members/:userId': async (scene) => ({ params: await newMember(scene) }),
  'POST /api/webhook': () => ({ body: { action: 'created' } }),
  'POST /mcp': () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
};
