import { legacyPermission, hasRole, type RoleName } from '../state/role.js';
import type { RulesetSpec, Ruleset } from '../state/rulesets.js';
import { repositoryDetail } from '../views/repository-view.js';
import { userView } from '../views/user-view.js';
import { isoDate, nodeId } from '../views/wire.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { created, inRepository, noContent, ok, type Route } from './route.js';

/** GitHub takes no more top-level keys than this in a dispatch. */
const KEYS_IN_A_DISPATCH = 10;

export const repositoryRoutes: readonly Route[] = [
  inRepository('GET', '', 'metadata:read', (call) => ok(repositoryDetail(call.repository))),
  inRepository('GET', '/collaborators/:username/permission', 'metadata:read', permissionOf),
  inRepository('POST', '/dispatches', 'contents:write', dispatch),
  inRepository('GET', '/rulesets', 'metadata:read', (call) =>
    call.page(call.repository.rulesets.list(), (ruleset) => summaryView(ruleset)),
  ),
  inRepository('POST', '/rulesets', 'administration:write', (call) => {
    const name = call.requiredText('name');
    const enforcement = call.requiredText('enforcement') as RulesetSpec['enforcement'];
    if (call.repository.rulesets.list().some(({ spec }) => spec.name === name)) {
      throw invalid({ code: 'custom', message: 'Name must be unique' });
    }
    return created(rulesetView(call.repository.rulesets.create({ ...call.fields, name, enforcement })));
  }),
  inRepository('GET', '/rulesets/:id', 'metadata:read', (call) => ok(rulesetView(rulesetOf(call)))),
  inRepository('PUT', '/rulesets/:id', 'administration:write', (call) => {
    const ruleset = rulesetOf(call);
    call.repository.rulesets.replace(ruleset, call.fields);
    return ok(rulesetView(ruleset));
  }),
  inRepository('DELETE', '/rulesets/:id', 'administration:write', (call) => {
    call.repository.rulesets.delete(rulesetOf(call));
    return noContent;
  }),
  inRepository('GET', '/rules/branches/*', 'metadata:read', (call) =>
    call.page(call.repository.rulesets.activeRules(call.param('*')), ({ rule, ruleset }) => ({
      ...rule,
      ruleset_source_type: 'Repository',
      ruleset_source: call.repository.fullName,
      ruleset_id: ruleset.id,
    })),
  ),
];

function permissionOf(call: RepositoryCall) {
  const user = call.world.accounts.findUser(call.param('username'));
  if (!user) throw new ApiError(404, `${call.param('username')} is not a user`);
  const role = call.repository.roleOf(user);
  const has = (wanted: RoleName) => hasRole(role, wanted);
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

function rulesetOf(call: RepositoryCall): Ruleset {
  const ruleset = call.repository.rulesets.find(call.number('id'));
  if (!ruleset) throw notFound();
  return ruleset;
}

function summaryView({ id, spec, repository, createdAt, updatedAt }: Ruleset) {
  const self = { href: `${repository.apiUrl}/rulesets/${id}` };
  return {
    id,
    name: spec.name,
    target: spec.target ?? 'branch',
    source_type: 'Repository',
    source: repository.fullName,
    enforcement: spec.enforcement,
    node_id: nodeId('RepositoryRuleset', id),
    _links: { self },
    created_at: isoDate(createdAt),
    updated_at: isoDate(updatedAt),
  };
}

function rulesetView(ruleset: Ruleset) {
  const { bypass_actors = [], conditions = { ref_name: { include: [], exclude: [] } }, rules = [] } = ruleset.spec;
  return { ...summaryView(ruleset), bypass_actors, conditions, rules };
}
