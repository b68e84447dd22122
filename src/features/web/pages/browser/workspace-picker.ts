import { type Answer, request, type Role } from './api.js';
import { button, element, failure, heading, link, type PageElement, paragraph } from './dom.js';

/** A workspace that the user can select. */
export interface Workspace {
  readonly org: string;
  readonly role: Role;
  /** Whether the app is installed there. */
  readonly installed: boolean;
  readonly selected: boolean;
}

interface ConfigStatus {
  readonly installUrl: string | null;
}

/** The role of the user in a workspace. */
export const roleBadge = (role: Role): PageElement =>
  element('span', { class: 'badge' }, role === 'admin' ? 'Admin' : 'Member');

/** The workspaces as buttons, each of which selects one. */
export function workspaceChoices(workspaces: readonly Workspace[], selected: () => Promise<void>): PageElement {
  const trouble = element('div', {});
  const choices = workspaces.map(({ org, role, installed }) => {
    const label = element(
      'span',
      {},
      org,
      installed ? null : element('span', { class: 'quiet small' }, ' (app not installed)'),
    );
    const choice = button(label, 'choice secondary', async () => {
      const answer = await request('/api/auth/workspace', 'POST', { org });
      if (answer.ok) await selected();
      else trouble.replaceChildren(failure(answer.error));
    });
    choice.append(roleBadge(role));
    return element('li', {}, choice);
  });
  return element('div', {}, trouble, element('ul', { class: 'choices' }, ...choices));
}

/** What to do for who belongs to no workspace yet. */
export async function signInOptions(login: string): Promise<readonly PageElement[]> {
  const status: Answer<ConfigStatus> = await request('/api/config/status');
  const installUrl = status.ok ? status.body.installUrl : null;
  return [
    heading('You are in no workspace yet'),
    paragraph(`You are signed in as ${login}. There are two ways in:`, 'lead'),
    element(
      'ul',
      { class: 'cards' },
      element(
        'li',
        { class: 'card' },
        element('h2', {}, 'You own the organization on GitHub'),
        paragraph('Install the app there. Its workspace is made at once, and you are its admin.'),
        installUrl === null ? null : element('p', {}, link('Install the app', installUrl, 'button')),
        paragraph('It is installed there already? Sign out and in again, and you are in.', 'quiet small'),
      ),
      element(
        'li',
        { class: 'card' },
        element('h2', {}, 'Your team uses Shipgate already'),
        paragraph('Ask an admin of its workspace for an invite, and open the link that they send you.'),
      ),
    ),
  ];
}
