import { randomUUID } from 'node:crypto';
import type { AccessScene } from './access-scene.js';

/** An id of another workspace than the caller's, and one that no workspace has. */
interface ForeignIds {
  readonly foreign: string;
  readonly unknown: string;
}

/** Makes them; a sentence says why a parameter names nothing that belongs to a workspace. */
type MakeForeignIds = string | ((scene: AccessScene) => Promise<ForeignIds>);

const uuid =
  (find: (scene: AccessScene) => Promise<string>) =>
  async (scene: AccessScene): Promise<ForeignIds> => ({ foreign: await find(scene), unknown: randomUUID() });
const member = async (scene: AccessScene): Promise<ForeignIds> => ({
  foreign: String((await scene.person('member')).user.id),
  unknown: '987654321',
});
const OF_ALL_WORKSPACES = 'platform admins decide for every workspace, and nobody else gets so far';

/** Of every parameter of every path, as `route parameter`. */
export const FOREIGN_IDS: Readonly<Record<string, MakeForeignIds>> = {
  'GET /assets/:name name': 'a file of the pages, which are the same for everybody',
  'DELETE /api/billing/upgrade-requests/:id id': uuid((scene) => scene.upgradeRequestId()),
  'GET /api/milestones/:owner/:repo owner': async () => ({ foreign: 'acme', unknown: 'nobody' }),
  'GET /api/milestones/:owner/:repo repo': async () => ({ foreign: 'payments', unknown: 'nothing' }),
  'POST /api/platform/upgrade-requests/:id/approve id': OF_ALL_WORKSPACES,
  'POST /api/platform/upgrade-requests/:id/reject id': OF_ALL_WORKSPACES,
  'POST /api/platform/workspaces/:org/downgrade org': OF_ALL_WORKSPACES,
  'GET /api/projects/:id id': uuid(async (scene) => (await scene.project()).id),
  'PATCH /api/projects/:id id': uuid(async (scene) => (await scene.project()).id),
  'DELETE /api/projects/:id id': uuid(async (scene) => (await scene.project()).id),
  'PUT /api/projects/:id/repos/:repoId id': uuid(async (scene) => (await scene.project()).id),
  'PUT /api/projects/:id/repos/:repoId repoId': uuid((scene) => scene.openRepositoryId()),
  'DELETE /api/projects/:id/repos/:repoId id': uuid(async (scene) => (await scene.project()).id),
  'DELETE /api/projects/:id/repos/:repoId repoId': uuid((scene) => scene.openRepositoryId()),
  'POST /api/repos/:repoId/bootstrap repoId': uuid((scene) => scene.openRepositoryId()),
  'POST /api/repos/:repoId/configure-rulesets repoId': uuid((scene) => scene.openRepositoryId()),
  'GET /api/repos/:repoId/workflow-update-status repoId': uuid((scene) => scene.outdatedRepositoryId()),
  'POST /api/repos/:repoId/workflow-update-pr repoId': uuid((scene) => scene.outdatedRepositoryId()),
  'GET /api/evidence/:id id': uuid(async (scene) => (await scene.report()).id),
  'GET /api/evidence/:id/reports/:reportId id': uuid(async (scene) => (await scene.report()).id),
  'GET /api/evidence/:id/reports/:reportId reportId': uuid(async (scene) => (await scene.report()).reportId),
  'GET /api/milestones/:id/evidence id': uuid((scene) => scene.overriddenId()),
  'DELETE /api/freezes/:id id': uuid((scene) => scene.freezeId()),
  'POST /api/milestones/:id/scope id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/evidence-pr id': uuid((scene) => scene.closedPullId()),
  'POST /api/milestones/:id/refresh id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/start id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id/waivers id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/waivers id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/waivers/:waiverId/confirm id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/waivers/:waiverId/confirm waiverId': uuid((scene) => scene.waiverId()),
  'DELETE /api/milestones/:id/waivers/:waiverId id': uuid((scene) => scene.overriddenId()),
  'DELETE /api/milestones/:id/waivers/:waiverId waiverId': uuid((scene) => scene.waiverId()),
  'GET /api/milestones/:id/break-glass id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/break-glass id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/break-glass/confirm id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/break-glass/:requestId/confirm id': uuid((scene) => scene.overriddenId()),
  'POST /api/milestones/:id/break-glass/:requestId/confirm requestId': uuid((scene) => scene.breakGlassId()),
  'DELETE /api/milestones/:id/break-glass/:requestId id': uuid((scene) => scene.overriddenId()),
  'DELETE /api/milestones/:id/break-glass/:requestId requestId': uuid((scene) => scene.breakGlassId()),
  'GET /api/milestones/:id/audit-pack id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id/decisions id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId decisionId': uuid((scene) => scene.decisionId()),
  'GET /api/milestones/:id/decisions/:decisionId/replay id': uuid((scene) => scene.overriddenId()),
  'GET /api/milestones/:id/decisions/:decisionId/replay decisionId': uuid((scene) => scene.decisionId()),
  'GET /api/reviews/release/:id id': uuid((scene) => scene.overriddenId()),
  'DELETE /api/settings/api-keys/:id id': uuid((scene) => scene.apiKeyId()),
  'DELETE /api/settings/mcp-keys/:id id': uuid(async (scene) => (await scene.personalKey(scene.admin)).id),
  'DELETE /api/team/invites/:id id': uuid(async (scene) => (await scene.invite()).id),
  'PATCH /api/team/members/:userId userId': member,
  'DELETE /api/team/members/:userId userId': member,
};
