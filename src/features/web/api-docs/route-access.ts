import type { ComponentsObject, SecurityRequirementObject } from '@nestjs/swagger';
import type { AccessRule, Role } from '../../../auth/access-rule.js';
import type { AccessDescription } from './described-operation.js';

/** The credentials that the service knows, as components of the document. */
export const SECURITY_SCHEMES: NonNullable<ComponentsObject['securitySchemes']> = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "Checked as RFC8725 asks. The identity token of a GitHub Actions run, asked for with the service's audience (`shipgate` unless configured). The workspace is the one of the organization that owns the run's repository.",
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgk_<secret>',
    description:
      'An API key of the workspace, for CI systems that have no identity tokens. It has scopes, and may be confined to some repositories.',
  },
  personalKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgp_<secret>',
    description:
      "A member's own key for their tools, which see and do what the member may: with the scope `read` they look, with `write` they also change. It lasts 30 days.",
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'connect.sid',
    description: 'The session of a person who signed in with GitHub and selected a workspace.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The bearer that the operator of the service set as `METRICS_TOKEN`.',
  },
};

const SENTENCE_OF_ROLE: Readonly<Record<Role, string>> = {
  person: 'Anybody who is signed in.',
  member: 'A signed-in member of the workspace.',
  admin: 'A signed-in admin of the workspace.',
  platform_admin: 'A signed-in platform admin.',
};

/**
 * Who may call a route, in the rule's own terms and as a sentence. A public route that names a credential all the same
 * checks it by itself.
 */
export function accessOf(rule: AccessRule | null, named: SecurityRequirementObject[] = []): AccessDescription {
  if (rule === null) return { kind: 'nobody', summary: 'Nobody.' };
  if (rule.kind === 'session') return { kind: 'session', role: rule.role, summary: SENTENCE_OF_ROLE[rule.role] };
  if (rule.kind === 'ci') {
    const { scope } = rule;
    return { kind: 'ci', scope, summary: `A CI run's identity token, or an API key with the scope \`${scope}\`.` };
  }
  if (rule.kind === 'personal_key') {
    const { scope } = rule;
    return { kind: 'personal_key', scope, summary: `A member's personal key with the scope \`${scope}\`.` };
  }
  const [credential] = named.flatMap((requirement) => Object.keys(requirement));
  return { kind: 'public', summary: credential === undefined ? 'Anybody.' : `Who holds the \`${credential}\`.` };
}

/** Any one of these opens the route; none is needed where the list is empty. */
export function securityOf(rule: AccessRule | null): SecurityRequirementObject[] {
  if (rule?.kind === 'ci') return [{ identityToken: [] }, { apiKey: [] }];
  if (rule?.kind === 'personal_key') return [{ personalKey: [] }];
  return rule?.kind === 'session' ? [{ session: [] }] : [];
}
