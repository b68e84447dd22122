import { randomUUID } from 'node:crypto';
import { junit } from '../support/ci-run-client.js';
import { findDashboardAsset } from '../support/dashboard-asset.js';
import type { UserSession } from '../support/user-session.js';
import { type AccessScenario, VERSION } from './access-scenario.js';

/** The parameters and the body of a route: an ordinary request that every caller with access may send. */
export interface AccessRequest {
  /** The values of the path parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form. */
  readonly body?: object;
}

/** Creates a new request each time. `caller` is the user who sends it, or null for a caller that is no user. */
type MakeRequest = (scenario: AccessScenario, caller: UserSession | null) => Promise<AccessRequest> | AccessRequest;

const newMember = async (scenario: AccessScenario) => ({
  userId: String((await scenario.createUser('member')).user.id),
});
const belongsHere = (scenario: AccessScenario, caller: UserSession): Promise<boolean> =>
  caller.get('/api/auth/me').then(({ body }) => {
    const workspace = body['workspace'] as { readonly org: string } | null;
    return workspace?.org === scenario.env.organization.login;
  });

async function linkableIssue(scenario: AccessScenario, caller: UserSession | null): Promise<number> {
  const isOwn = caller !== null && (await belongsHere(scenario, caller));
  return scenario.linkableIssue(isOwn ? caller : null);
}

async function readScopeChoices(scenario: AccessScenario, caller: UserSession | null): Promise<AccessRequest> {
  await linkableIssue(scenario, caller);
  return { params: { id: await scenario.overriddenId() } };
}

/** The requests of every route that needs more than its path. */
export const ACCESS_REQUESTS: Readonly<Record<string, MakeRequest>> = {
  'GET /assets/:name': () => ({ params: { name: findDashboardAsset() } }),
  'POST /api/auth/workspace': () => ({ body: { org: 'acme' } }),
  'DELETE /api/billing/upgrade-requests/:id': async (scenario) => ({
    params: { id: await scenario.upgradeRequestId() },
  }),
  'POST /api/billing/upgrade-requests': async (scenario) => {
    await scenario.givePlan('free');
    return { body: { note: 'PO 4711' } };
  },
  'POST /api/platform/upgrade-requests/:id/approve': async (scenario) => ({
    params: { id: await scenario.upgradeRequestId() },
    body: { paymentReference: 'INV-1' },
  }),
  'POST /api/platform/upgrade-requests/:id/reject': async (scenario) => ({
    params: { id: await scenario.upgradeRequestId() },
    body: { reason: 'not paid' },
  }),
  'POST /api/platform/workspaces/:org/downgrade': async (scenario) => {
    await scenario.givePlan('pro');
    return { params: { org: 'acme' }, body: { reason: 'payment returned' } };
  },
  'POST /api/config/setup': ({ env: { githubApp } }) => ({
    body: {
      setupCode: 'A1B2C-D3E4F-G5H6J-K7M8N',
      appId: String(githubApp.id),
      clientId: githubApp.clientId,
      clientSecret: githubApp.clientSecret,
      webhookSecret: githubApp.webhookSecret,
      privateKey: githubApp.privateKey,
    },
  }),
  'POST /api/deployments': () => ({
    body: {
      repo: 'acme/payments',
      environment: 'production',
      deployment: randomUUID(),
      status: 'started',
      commit_sha: 'ab'.repeat(20),
    },
  }),
  'PUT /api/environments/:name/running': () => ({
    params: { name: 'production' },
    body: { repo: 'acme/payments', artifacts: [] },
  }),
  'GET /api/environments/:name/running': async (scenario) => ({
    params: { name: 'production' },
    query: { repo: (await scenario.overridden()).repository.fullName },
  }),
  'POST /api/artifacts': () => ({
    body: { repo: 'acme/payments', version: VERSION, name: 'api', digest: `sha256:${'a'.repeat(64)}` },
  }),
  'GET /api/milestones/:id/artifacts': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/milestones/:id/deployments': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
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
  'GET /api/evidence/:id': async (scenario) => ({ params: { ...(await scenario.report()) } }),
  'GET /api/evidence/:id/reports/:reportId': async (scenario) => ({ params: { ...(await scenario.report()) } }),
  'GET /api/milestones/:id/evidence': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/audit/export': () => ({ query: { format: 'csv' } }),
  'GET /api/search': () => ({ query: { q: 'payments' } }),
  'GET /api/history/export': () => ({ query: { format: 'csv' } }),
  'GET /api/quality/export': () => ({ query: { format: 'csv' } }),
  'POST /api/history': async (scenario) => ({ body: { milestoneId: await scenario.deployableId() } }),
  'GET /api/milestones/:owner/:repo': async (scenario) => {
    await scenario.openRepositoryId();
    return { params: { owner: 'acme', repo: 'orders' } };
  },
  'GET /api/milestones/check': () => ({ query: { repo: 'acme/payments', version: VERSION } }),
  'GET /api/milestones/resolve': () => ({ query: { repo: 'acme/payments', ref: 'main' } }),
  'GET /api/policy/check': () => ({ query: { repo: 'acme/payments' } }),
  'POST /api/projects': () => ({ body: { name: randomUUID() } }),
  'GET /api/projects/:id': async (scenario) => ({ params: { id: (await scenario.project()).id } }),
  'PATCH /api/projects/:id': async (scenario) => ({
    params: { id: (await scenario.project()).id },
    body: { description: 'What belongs together.' },
  }),
  'DELETE /api/projects/:id': async (scenario) => ({ params: { id: (await scenario.project()).id } }),
  'PUT /api/projects/:id/repos/:repoId': async (scenario) => ({ params: { ...(await scenario.project()) } }),
  'DELETE /api/projects/:id/repos/:repoId': async (scenario) => ({ params: { ...(await scenario.project()) } }),
  'GET /api/repos/:repoId': async (scenario) => ({ params: { repoId: await scenario.openRepositoryId() } }),
  'GET /api/repos/:repoId/workflow-update-status': async (scenario) => ({
    params: { repoId: await scenario.outdatedRepositoryId() },
  }),
  'POST /api/repos/:repoId/workflow-update-pr': async (scenario) => ({
    params: { repoId: await scenario.outdatedRepositoryId() },
  }),
  'POST /api/repos/:repoId/bootstrap': async (scenario) => ({ params: { repoId: await scenario.bareRepositoryId() } }),
  'POST /api/repos/:repoId/configure-rulesets': async (scenario) => ({
    params: { repoId: await scenario.openRepositoryId() },
  }),
  'GET /api/repos/:repoId/protection-rule': async (scenario) => ({
    params: { repoId: await scenario.openRepositoryId() },
  }),
  'POST /api/repos/:repoId/protection-rule': async (scenario) => ({
    params: { repoId: await scenario.governedRepositoryId() },
  }),
  'GET /api/reviews/release/:id': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/reviews/release/:id/brief': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/freezes': () => ({ body: { from: '2099-12-20', to: '2099-12-31', reason: 'year end' } }),
  'DELETE /api/freezes/:id': async (scenario) => ({ params: { id: await scenario.freezeId() } }),
  'POST /api/milestones': async (scenario, caller) => {
    const isOwn = caller !== null && (await belongsHere(scenario, caller));
    return { body: await scenario.releaseOrder(isOwn ? caller : null) };
  },
  'GET /api/milestones/:id': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/milestones/:id/evidence-pr': async (scenario) => ({ params: { id: await scenario.closedPullId() } }),
  'POST /api/milestones/:id/refresh': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/milestones/:id/start': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/milestones/:id/scope': async (scenario, caller) => {
    const number = await linkableIssue(scenario, caller);
    return { params: { id: await scenario.overriddenId() }, body: { action: 'link', number } };
  },
  'GET /api/milestones/:id/scope/assignees': readScopeChoices,
  'GET /api/milestones/:id/scope/candidates': readScopeChoices,
  'GET /api/milestones/:id/waivers': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/milestones/:id/waivers': async (scenario) => ({
    params: { id: await scenario.overriddenId() },
    body: (await scenario.overridden()).waiverOf(),
  }),
  'POST /api/milestones/:id/waivers/:waiverId/confirm': async (scenario) => ({
    params: { id: await scenario.overriddenId(), waiverId: await scenario.waiverId() },
  }),
  'DELETE /api/milestones/:id/waivers/:waiverId': async (scenario) => ({
    params: { id: await scenario.overriddenId(), waiverId: await scenario.waiverId() },
  }),
  'GET /api/milestones/:id/break-glass': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'POST /api/milestones/:id/break-glass': async (scenario) => ({
    params: { id: await scenario.overriddenId() },
    body: { sha: (await scenario.overridden()).head(), reason: 'all is down' },
  }),
  'POST /api/milestones/:id/break-glass/confirm': async (scenario) => {
    await scenario.breakGlassId();
    return { params: { id: await scenario.overriddenId() } };
  },
  'POST /api/milestones/:id/break-glass/:requestId/confirm': async (scenario) => ({
    params: { id: await scenario.overriddenId(), requestId: await scenario.breakGlassId() },
  }),
  'DELETE /api/milestones/:id/break-glass/:requestId': async (scenario) => ({
    params: { id: await scenario.overriddenId(), requestId: await scenario.breakGlassId() },
  }),
  'GET /api/milestones/:id/statement': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/milestones/:id/approval-record': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/milestones/:id/audit-pack': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/milestones/:id/decisions': async (scenario) => ({ params: { id: await scenario.overriddenId() } }),
  'GET /api/milestones/:id/decisions/:decisionId': async (scenario) => ({
    params: { id: await scenario.overriddenId(), decisionId: await scenario.decisionId() },
  }),
  'GET /api/milestones/:id/decisions/:decisionId/replay': async (scenario) => ({
    params: { id: await scenario.overriddenId(), decisionId: await scenario.decisionId() },
  }),
  'POST /api/settings/api-keys': () => ({ body: { name: 'ci', scopes: ['gate:read'] } }),
  'DELETE /api/settings/api-keys/:id': async (scenario) => ({ params: { id: await scenario.apiKeyId() } }),
  'POST /api/settings/mcp-keys': () => ({ body: { name: 'editor', scope: 'read' } }),
  // The caller's own key if the caller is a member, because keys of other users are not found.
  'DELETE /api/settings/mcp-keys/:id': async (scenario, caller) => {
    const isOwn = caller !== null && (await belongsHere(scenario, caller));
    return { params: { id: (await scenario.personalKey(isOwn ? caller : scenario.admin)).id } };
  },
  'POST /api/team/invites': () => ({ body: { role: 'member' } }),
  'POST /api/team/invites/accept': async (scenario) => ({ body: { token: (await scenario.invite()).token } }),
  'POST /api/team/invites/preview': async (scenario) => ({ body: { token: (await scenario.invite()).token } }),
  'DELETE /api/team/invites/:id': async (scenario) => ({ params: { id: (await scenario.invite()).id } }),
  'PATCH /api/team/members/:userId': async (scenario) => ({
    params: await newMember(scenario),
    body: { role: 'admin' },
  }),
  'DELETE /api/team/members/:userId': async (scenario) => ({ params: await newMember(scenario) }),
  'PUT /api/team/members/:userId/auditor': async (scenario) => ({ params: await newMember(scenario) }),
  'DELETE /api/team/members/:userId/auditor': async (scenario) => ({ params: await newMember(scenario) }),
  'POST /api/webhook': () => ({ body: { action: 'created' } }),
  'POST /mcp': () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
};
