import { type Answer, request, type Role } from './api.js';
import { avatar, dayOf, element, failure, type PageElement, paragraph } from './dom.js';
import { roleBadge } from './workspace-picker.js';

interface Billing {
  readonly plan: string;
  /** Without a limit, null. */
  readonly managedRepositories: { readonly used: number; readonly limit: number | null };
  readonly request: { readonly status: string; readonly requestedAt: string; readonly reason: string | null } | null;
}

interface Team {
  readonly members: readonly {
    readonly login: string;
    readonly name: string | null;
    readonly avatarUrl: string;
    readonly role: Role;
  }[];
  readonly invites: readonly { readonly login: string | null; readonly role: Role; readonly expiresAt: string }[];
}

interface Key {
  readonly name: string;
  readonly prefix: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

interface Keys {
  readonly keys: readonly Key[];
}

/** The maximum number of displayed rows per list. The API has all of them. */
const AT_MOST = 50;

/** Builds the overview of the selected workspace. Each section loads by itself. */
export const workspaceOverview = (): PageElement =>
  element(
    'div',
    { class: 'cards' },
    section('Plan', request<Billing>('/api/billing'), planOf),
    section('Keys for CI', request<Keys>('/api/settings/api-keys'), ({ keys }) =>
      keysOf(keys, 'There are none. CI on GitHub Actions needs none: it shows its identity token.'),
    ),
    section('Your keys for tools', request<Keys>('/api/settings/mcp-keys'), ({ keys }) =>
      keysOf(keys, 'You have none. With one, a tool of yours sees what you see here, for 30 days.'),
    ),
    section('Team', request<Team>('/api/team'), teamOf, 'wide'),
  );

/** Builds a section from its own request, so that the other sections still load if one fails. */
function section<Body>(
  title: string,
  response: Promise<Answer<Body>>,
  contentOf: (body: Body) => readonly PageElement[],
  kind = '',
): PageElement {
  const content = element('div', { 'aria-busy': 'true' }, paragraph('Loading…', 'quiet'));
  const fill = async (): Promise<void> => {
    const answer = await response;
    content.replaceChildren(...(answer.ok ? contentOf(answer.body) : [failure(answer.error)]));
    content.removeAttribute('aria-busy');
  };
  void fill();
  return element('section', { class: `card ${kind}`, 'aria-label': title }, element('h2', {}, title), content);
}

function planOf({ plan, managedRepositories: { used, limit }, request }: Billing): readonly PageElement[] {
  const repositories = used === 1 ? 'repository' : 'repositories';
  return [
    element('p', { class: 'figure' }, `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`),
    paragraph(
      limit === null
        ? `${used} managed ${repositories}, without a limit.`
        : `${used} of ${limit} managed repositories.`,
    ),
    ...(limit === null ? [] : [meterOf(used, limit)]),
    ...(limit !== null && used >= limit
      ? [
          paragraph(
            'There is no room for another one: the gate stays closed for repositories beyond the plan.',
            'small',
          ),
        ]
      : []),
    ...(request === null ? [] : requestOf(request)),
  ];
}

/** An approved request is not displayed, because the plan shows it. */
function requestOf({ status, requestedAt, reason }: NonNullable<Billing['request']>): readonly PageElement[] {
  const upgrade = `The upgrade requested on ${dayOf(requestedAt)}`;
  if (status === 'open') return [paragraph(`${upgrade} waits for approval.`, 'quiet small')];
  return status === 'rejected' ? [paragraph(`${upgrade} was rejected: ${reason ?? ''}`, 'quiet small')] : [];
}

/** The meter changes its color at the limit. */
const meterOf = (used: number, limit: number): PageElement =>
  element('meter', {
    min: '0',
    high: String(limit - 1),
    max: String(limit),
    optimum: '0',
    value: String(used),
    'aria-label': 'Managed repositories',
  });

function keysOf(keys: readonly Key[], none: string): readonly PageElement[] {
  if (keys.length === 0) return [paragraph(none, 'quiet')];
  return [
    rows(
      keys.map(({ name, prefix, expiresAt, lastUsedAt }) =>
        row(
          name,
          [
            lastUsedAt === null ? 'never used' : `last used ${dayOf(lastUsedAt)}`,
            ...(expiresAt === null ? [] : [`ends ${dayOf(expiresAt)}`]),
          ].join(', '),
          element('code', {}, `${prefix}…`),
        ),
      ),
    ),
  ];
}

function teamOf({ members, invites }: Team): readonly PageElement[] {
  const users = members.map(({ login, name, avatarUrl, role }) =>
    row(name ?? login, name === null || name === login ? null : login, roleBadge(role), avatar(avatarUrl)),
  );
  const invited = invites.map(({ login, role, expiresAt }) =>
    row(login ?? 'Anyone with the link', `until ${dayOf(expiresAt)}`, roleBadge(role)),
  );
  return [rows(users), ...(invited.length === 0 ? [] : [element('h3', {}, 'Invited'), rows(invited)])];
}

function row(name: string, detail: string | null, mark: PageElement, picture: PageElement | null = null): PageElement {
  const second = detail === null ? null : element('span', { class: 'quiet' }, detail);
  return element('li', {}, picture, element('span', { class: 'name' }, name, second), mark);
}

function rows(items: readonly PageElement[]): PageElement {
  const rest = items.length - AT_MOST;
  const more = rest > 0 ? element('li', { class: 'quiet' }, `and ${rest} more`) : null;
  return element('ul', { class: 'rows' }, ...items.slice(0, AT_MOST), more);
}
