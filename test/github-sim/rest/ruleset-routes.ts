import type { RulesetSpec, Ruleset } from '../state/rulesets.js';
import { rulesetSummary, rulesetView } from '../views/ruleset-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { canWrite } from './repository-access.js';
import { created, repositoryRoute, noContent, ok, type Method, type Route } from './route.js';

const ADMINISTRATION = { permissions: ['administration'], level: 'write' } as const;

export const rulesetRoutes: readonly Route[] = [
  offered('GET', '/rulesets', 'metadata:read', (call) => call.page(call.repository.rulesets.list(), rulesetSummary)),
  offered('POST', '/rulesets', 'administration:write', (call) => {
    const name = call.requiredText('name');
    const enforcement = call.requiredText('enforcement') as RulesetSpec['enforcement'];
    refuseNamesake(call, name, null);
    const spec = { ...call.fields, name, enforcement };
    return created(rulesetView(call.repository.rulesets.create(spec, call.actor), { mayChange: true }));
  }),
  offered('GET', '/rulesets/:id', 'metadata:read', (call) =>
    ok(rulesetView(rulesetOf(call), { mayChange: canWrite(call.caller, call.repository, ADMINISTRATION) })),
  ),
  offered('PUT', '/rulesets/:id', 'administration:write', (call) => {
    const ruleset = rulesetOf(call);
    refuseNamesake(call, call.text('name') ?? ruleset.spec.name, ruleset);
    call.repository.rulesets.replace(ruleset, call.fields, call.actor);
    return ok(rulesetView(ruleset, { mayChange: true }));
  }),
  offered('DELETE', '/rulesets/:id', 'administration:write', (call) => {
    call.repository.rulesets.delete(rulesetOf(call), call.actor);
    return noContent;
  }),
  repositoryRoute('GET', '/rules/branches/*', 'metadata:read', (call) =>
    call.page(call.repository.rulesets.activeRules(call.param('*')), ({ rule, ruleset }) => ({
      ...rule,
      ruleset_source_type: 'Repository',
      ruleset_source: call.repository.fullName,
      ruleset_id: ruleset.id,
    })),
  ),
];

/** A route that GitHub rejects for every caller if the plan has no rulesets for a repository. */
function offered(
  method: Method,
  path: string,
  need: 'metadata:read' | 'administration:write',
  handle: (call: RepositoryCall) => Answer,
): Route {
  return repositoryRoute(method, path, need, (call) => {
    if (!call.repository.rulesets.offered) {
      throw new ApiError(403, 'Upgrade to GitHub Pro or make this repository public to enable this feature.');
    }
    return handle(call);
  });
}

function refuseNamesake({ repository }: RepositoryCall, name: string, itself: Ruleset | null): void {
  if (repository.rulesets.list().some((other) => other !== itself && other.spec.name === name)) {
    throw invalid({ code: 'custom', message: 'Name must be unique' });
  }
}

function rulesetOf(call: RepositoryCall): Ruleset {
  const ruleset = call.repository.rulesets.find(call.number('id'));
  if (!ruleset) throw notFound();
  return ruleset;
}
