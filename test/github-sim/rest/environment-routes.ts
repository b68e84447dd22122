import type { Environment, ProtectionRule } from '../state/environments.js';
import { environmentView, protectionRuleView } from '../views/environment-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { created, type Method, noContent, ok, repositoryRoute, type Route } from './route.js';

const RULES = '/environments/:environment/deployment_protection_rules';

export const environmentRoutes: readonly Route[] = [
  repositoryRoute('GET', '/environments/:environment', 'actions:read', (call) => ok(environmentView(namedIn(call)))),
  repositoryRoute('PUT', '/environments/:environment', 'administration:write', (call) => {
    const { environments } = call.repository;
    const name = call.param('environment');
    return ok(environmentView(environments.find(name) ?? environments.create(name)));
  }),
  offered('GET', RULES, 'actions:read', (call) => {
    const { rules } = namedIn(call);
    return ok({ total_count: rules.length, custom_deployment_protection_rules: rules.map(protectionRuleView) });
  }),
  offered('POST', RULES, 'administration:write', (call) => {
    const app = call.state.apps.findByIssuer(String(call.fields['integration_id']));
    if (!app) throw invalid({ field: 'integration_id', code: 'invalid' });
    return created(protectionRuleView(namedIn(call).enable(app)));
  }),
  offered('DELETE', `${RULES}/:id`, 'administration:write', (call) => {
    const environment = namedIn(call);
    environment.disable(ruleOf(call, environment));
    return noContent;
  }),
];

/** A route that GitHub rejects for every caller if the plan has no custom rules for a repository. */
function offered(
  method: Method,
  path: string,
  need: 'actions:read' | 'administration:write',
  handle: (call: RepositoryCall) => Answer,
): Route {
  return repositoryRoute(method, path, need, (call) => {
    if (call.repository.environments.offersRules) return handle(call);
    throw new ApiError(403, 'Upgrade to GitHub Enterprise or make this repository public to enable this feature.');
  });
}

function namedIn(call: RepositoryCall): Environment {
  const environment = call.repository.environments.find(call.param('environment'));
  if (!environment) throw notFound();
  return environment;
}

function ruleOf(call: RepositoryCall, { rules }: Environment): ProtectionRule {
  const rule = rules.find(({ id }) => id === call.number('id'));
  if (!rule) throw notFound();
  return rule;
}
