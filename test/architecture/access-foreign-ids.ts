import { randomUUID } from 'node:crypto';
import type { AccessScenario } from './access-scenario.js';

/** An id of another workspace than the caller's, and one that no workspace has. */
interface ForeignIds {
  readonly foreign: string;
  readonly unknown: string;
}

/** Creates the ids, or states why the parameter names nothing of a workspace. */
type MakeForeignIds = string | ((scenario: AccessScenario) => Promise<ForeignIds>);

const uuid =
  (find: (scenario: AccessScenario) => Promise<string>) =>
  async (scenario: AccessScenario): Promise<ForeignIds> => ({ foreign: await find(scenario), unknown: randomUUID() });
const member = async (scenario: AccessScenario): Promise<ForeignIds> => ({
  foreign: String((await scenario.createUser('member')).user.id),
  unknown: '987654321',
});
const OF_ALL_WORKSPACES = 'platform admins decide for every workspace, and other callers are rejected before';

/** The ids for every parameter of every path, by `route parameter`. */
export const FOREIGN_IDS: Readonly<Record<string, MakeForeignIds>> = {
  'GET /assets/:name name': 'a file of the dashboard, which is the same for every user',
  'PUT /api/environments/:name/running name': 'any name of an environment, and the repository is in the body',
  'GET /api/environments/:name/running name': 'any name of an environment, and the repository is in the query',
  'DELETE /api/billing/upgrade-requests/:id id': uuid((scenario) => scenario.upgradeRequestId()),
  'GET /api/milestones/:owner/:repo owner': async () => ({ foreign: 'acme', unknown: 'nobody' }),
  'GET /api/milestones/:owner/:repo repo': async () => ({ foreign: 'payments', unknown: 'nothing' }),
  'POST /api/platform/upgrade-requests/:id/approve id': OF_ALL_WORKSPACES,
  'POST /api/platform/upgrade-requests/:id/reject id': OF_ALL_WORKSPACES,
  'POST /api/platform/workspaces/:org/downgrade org': OF_ALL_WORKSPACES,
  'GET /api/projects/:id id': uuid(async (scenario) => (await scenario.project()).id),
  'PATCH /api/projects/:id id': uuid(async (scenario) => (await scenario.project()).id),
  'DELETE /api/projects/:id id': uuid(async (scenario) => (await scenario.project()).id),
  'PUT /api/projects/:id/repos/:repoId id': uuid(async (scenario) => (await scenario.project()).id),
  'PUT /api/projects/:id/repos/:repoId repoId': uuid((scenario) => scenario.openRepositoryId()),
  'DELETE /api/projects/:id/repos/:repoId id': uuid(async (scenario) => (await scenario.project()).id),
  'DELETE /api/projects/:id/repos/:repoId repoId': uuid((scenario) => scenario.openRepositoryId()),
  'GET /api/repos/:repoId repoId': uuid((scenario) => scenario.openRepositoryId()),
  'POST /api/repos/:repoId/bootstrap repoId': uuid((scenario) => scenario.openRepositoryId()),
  'POST /api/repos/:repoId/configure-rulesets repoId': uuid((scenario) => scenario.openRepositoryId()),
  'GET /api/repos/:repoId/protection-rule repoId': uuid((scenario) => scenario.openRepositoryId()),
  'POST /api/repos/:repoId/protection-rule repoId': uuid((scenario) => scenario.openRepositoryId()),
  'GET /api/repos/:repoId/workflow-update-status repoId': uuid((scenario) => scenario.outdatedRepositoryId()),
  'POST /api/repos/:repoId/workflow-update-pr repoId': uuid((scenario) => scenario.outdatedRepositoryId()),
  'GET /api/evidence/:id id': uuid(async (scenario) => (await scenario.report()).id),
  'GET /api/evidence/:id/reports/:reportId id': uuid(async (scenario) => (await scenario.report()).id),
  'GET /api/evidence/:id/reports/:reportId reportId': uuid(async (scenario) => (await scenario.report()).reportId),
  'GET /api/milestones/:id/artifacts id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/deployments id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/evidence id': uuid((scenario) => scenario.overriddenId()),
  'DELETE /api/freezes/:id id': uuid((scenario) => scenario.freezeId()),
  'POST /api/milestones/:id/scope id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/scope/assignees id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/scope/candidates id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/evidence-pr id': uuid((scenario) => scenario.closedPullId()),
  'POST /api/milestones/:id/refresh id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/start id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/waivers id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/waivers id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/waivers/:waiverId/confirm id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/waivers/:waiverId/confirm waiverId': uuid((scenario) => scenario.waiverId()),
  'DELETE /api/milestones/:id/waivers/:waiverId id': uuid((scenario) => scenario.overriddenId()),
  'DELETE /api/milestones/:id/waivers/:waiverId waiverId': uuid((scenario) => scenario.waiverId()),
  'GET /api/milestones/:id/break-glass id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/break-glass id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/break-glass/confirm id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/break-glass/:requestId/confirm id': uuid((scenario) => scenario.overriddenId()),
  'POST /api/milestones/:id/break-glass/:requestId/confirm requestId': uuid((scenario) => scenario.breakGlassId()),
  'DELETE /api/milestones/:id/break-glass/:requestId id': uuid((scenario) => scenario.overriddenId()),
  'DELETE /api/milestones/:id/break-glass/:requestId requestId': uuid((scenario) => scenario.breakGlassId()),
  'GET /api/milestones/:id/statement id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/approval-record id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/audit-pack id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/decisions id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId decisionId': uuid((scenario) => scenario.decisionId()),
  'GET /api/milestones/:id/decisions/:decisionId/replay id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId/replay decisionId': uuid((scenario) => scenario.decisionId()),
  'GET /api/reviews/release/:id id': uuid((scenario) => scenario.overriddenId()),
  'GET /api/reviews/release/:id/brief id': uuid((scenario) => scenario.overriddenId()),
  'DELETE /api/settings/api-keys/:id id': uuid((scenario) => scenario.apiKeyId()),
  'DELETE /api/settings/mcp-keys/:id id': uuid(async (scenario) => (await scenario.personalKey(scenario.admin)).id),
  'DELETE /api/team/invites/:id id': uuid(async (scenario) => (await scenario.invite()).id),
  'PATCH /api/team/members/:userId userId': member,
  'DELETE /api/team/members/:userId userId': member,
  'PUT /api/team/members/:userId/auditor userId': member,
  'DELETE /api/team/members/:userId/auditor userId': member,
};
