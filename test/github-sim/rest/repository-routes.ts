import { legacyPermission, hasRole, type RoleName } from '../state/role.js';
import { repositoryDetail } from '../views/repository-view.js';
import { userView } from '../views/user-view.js';
import { ApiError } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { repositoryRoute, noContent, ok, type Route } from './route.js';

/** The maximum number of top-level keys in a dispatch of GitHub. */
const KEYS_IN_A_DISPATCH = 10;

export const repositoryRoutes: readonly Route[] = [
  repositoryRoute('GET', '', 'metadata:read', (call) =>
    ok({ ...repositoryDetail(call.repository), ...rightsOf(call) }),
  ),
  repositoryRoute('GET', '/collaborators/:username/permission', 'metadata:read', permissionOf),
  repositoryRoute('POST', '/dispatches', 'contents:write', dispatch),
];

/** The permissions of the caller, which GitHub returns to users only. */
function rightsOf({ caller, repository }: RepositoryCall): object {
  if (caller.kind !== 'user') return {};
  const role = repository.roleOf(caller.user);
  const may = (requested: RoleName): boolean => hasRole(role, requested);
  return {
    permissions: {
      admin: may('admin'),
      maintain: may('maintain'),
      push: may('write'),
      triage: may('triage'),
      pull: may('read'),
    },
  };
}

function permissionOf(call: RepositoryCall) {
  const user = call.state.accounts.findUser(call.param('username'));
  if (!user) throw new ApiError(404, `${call.param('username')} is not a user`);
  const role = call.repository.roleOf(user);
  const has = (requested: RoleName) => hasRole(role, requested);
  const permissions = {
    admin: has('admin'),
    maintain: has('maintain'),
    push: has('write'),
    triage: has('triage'),
    pull: has('read'),
  };
  return ok({
    permission: legacyPermission(role),
    role_name: role,
    user: { ...userView(user), permissions, role_name: role },
  });
}

function dispatch(call: RepositoryCall) {
  const payload = call.fields['client_payload'] ?? null;
  if (payload !== null && Object.keys(payload).length > KEYS_IN_A_DISPATCH) {
    throw new ApiError(
      422,
      `No more than ${KEYS_IN_A_DISPATCH} properties are allowed; ${Object.keys(payload).length} were supplied.`,
    );
  }
  const branch = call.repository.defaultBranch;
  const event = { action: call.requiredText('event_type'), branch, client_payload: payload };
  call.repository.emit('repository_dispatch', event, call.actor);
  return noContent;
}
