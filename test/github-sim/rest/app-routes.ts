import type { App } from '../state/app.js';
import type { Installation } from '../state/installation.js';
import { allows, type PermissionLevel } from '../state/permission.js';
import { appView } from '../views/app-view.js';
import { installationView } from '../views/installation-view.js';
import { repositoryView } from '../views/repository-view.js';
import { isoDate } from '../views/wire.js';
import type { DeliveryLog } from '../webhook-outbox.js';
import { ApiError, notFound } from './api-error.js';
import type { Answer, Call } from './call.js';
import { created, ok, publicRoute, type Route } from './route.js';

/** The routes for an app with its own token. */
export function appRoutes(deliveries: DeliveryLog): readonly Route[] {
  return [
    publicRoute('GET', '/app', (call) => {
      const app = appOf(call);
      return ok({ ...appView(app), installations_count: call.state.installations.ofApp(app).length });
    }),
    publicRoute('GET', '/app/installations', (call) =>
      call.page(call.state.installations.ofApp(appOf(call)), installationView),
    ),
    publicRoute('GET', '/app/installations/:id', (call) => ok(installationView(installationOf(call)))),
    publicRoute('POST', '/app/installations/:id/access_tokens', createToken),
    publicRoute('GET', '/orgs/:org/installation', (call) => {
      const organization = call.state.accounts.findOrganization(call.param('org'));
      const installation = organization && call.state.installations.find(appOf(call), organization);
      if (!installation) throw notFound();
      return ok(installationView(installation));
    }),
    publicRoute('GET', '/installation/repositories', (call) => {
      const { caller } = call;
      if (caller.kind !== 'installation') throw new ApiError(403, 'Resource not accessible by integration');
      const { installation, repositoryIds } = caller;
      const seen = installation.repositories().filter(({ id }) => repositoryIds === null || repositoryIds.has(id));
      return call.page(seen, repositoryView, (repositories, total) => ({
        total_count: total,
        repository_selection: installation.selection,
        repositories,
      }));
    }),
    publicRoute('GET', '/app/hook/deliveries', (call) => call.cursorPage(deliveries.list(appOf(call).id))),
    publicRoute('GET', '/app/hook/deliveries/:id', (call) => {
      const delivery = deliveries.find(appOf(call).id, call.number('id'));
      if (!delivery) throw notFound();
      return ok(delivery);
    }),
    publicRoute('POST', '/app/hook/deliveries/:id/attempts', (call) => {
      if (!deliveries.redeliver(appOf(call).id, call.number('id'))) throw notFound();
      return { status: 202, body: {} };
    }),
  ];
}

function appOf({ caller }: Call): App {
  if (caller.kind === 'app') return caller.app;
  throw new ApiError(401, 'A JSON web token could not be decoded');
}

function installationOf(call: Call): Installation {
  const installation = call.state.installations.ofApp(appOf(call)).find(({ id }) => id === call.number('id'));
  if (!installation) throw notFound();
  return installation;
}

/** A token can be limited to repositories and permissions, never extended. */
function createToken(call: Call): Answer {
  const installation = installationOf(call);
  if (installation.suspendedAt) throw new ApiError(403, 'This installation has been suspended');
  const requested = (call.fields['permissions'] ?? installation.permissions) as Record<string, PermissionLevel>;
  for (const [name, level] of Object.entries(requested)) {
    if (!allows(installation.permissions[name], level)) {
      throw new ApiError(422, 'The permissions requested are not granted to this installation.');
    }
  }
  const pinned = pinnedRepositories(call, installation);
  const { token, expiresAt } = call.state.tokens.issueForInstallation({
    installation,
    permissions: { metadata: 'read', ...requested },
    repositoryIds: pinned && new Set(pinned.map(({ id }) => id)),
  });
  return created({
    token,
    expires_at: isoDate(expiresAt),
    permissions: requested,
    repository_selection: pinned ? 'selected' : installation.selection,
    ...(pinned && { repositories: pinned.map(repositoryView) }),
  });
}

function pinnedRepositories(call: Call, installation: Installation) {
  const [ids, names] = [call.fields['repository_ids'], call.fields['repositories']];
  if (ids === undefined && names === undefined) return null;
  const covered = installation.repositories();
  const byId = ((ids ?? []) as number[]).map((expected) => covered.find(({ id }) => id === expected));
  const byName = ((names ?? []) as string[]).map((requested) => covered.find(({ name }) => name === requested));
  return [...byId, ...byName].map((repository) => {
    if (repository) return repository;
    throw new ApiError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  });
}
