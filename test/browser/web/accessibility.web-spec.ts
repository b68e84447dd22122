import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { loadScreen, SCREENS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { createHotfix, findRelease } from './own-release.js';

const DAY_MS = 86_400_000;
const DAY = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
const WORKFLOW = '.github/workflows/shipgate-enforce.yml';
const PATIENCE_MS = 300_000;
const WAITING = 'waiting overrides';

interface Case {
  /** The name of a screen, or `waiting overrides`. */
  readonly at: string;
  /** The buttons that lead to the dialog, one after the other. */
  readonly buttons: readonly (string | RegExp)[];
  /** Whether the last match of the first button is used. */
  readonly isLast?: boolean;
  /** A button of the dialog that appears later. */
  readonly nextButton?: string;
  /** Changes responses of the service, for a rare state. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Fills fields between the last two buttons. */
  readonly fill?: (dialog: Locator) => Promise<unknown>;
}

/** Every dialog of the dashboard. */
const DIALOGS: Readonly<Record<string, Case>> = {
  'a new release': { at: 'releases', buttons: ['New release'] },
  'a freeze': {
    at: 'freezes',
    buttons: ['New freeze'],
    fill: async (dialog) => {
      await dialog.getByLabel('First day').fill(DAY);
      await dialog.getByLabel('Last day').fill(DAY);
    },
  },
  'the end of a freeze': { at: 'freezes', buttons: [/^Delete the freeze/] },
  'an invite': { at: 'team', buttons: ['Invite'] },
  'the link of an invite': { at: 'team', buttons: ['Invite', 'Create the link'], nextButton: 'I have it' },
  'the end of an invite': { at: 'team', buttons: [/^Withdraw the invite for/] },
  'the removal of a member': { at: 'team', buttons: [/^Remove: developer/] },
  'a new API key': { at: 'API keys', buttons: ['New key'] },
  'the end of an API key': { at: 'API keys', buttons: ['Revoke demo'] },
  'a new personal key': { at: 'personal keys', buttons: ['New key'] },
  'the secret of a personal key': {
    at: 'personal keys',
    buttons: ['New key', 'Create the key'],
    nextButton: 'I have it',
    fill: async (dialog) => {
      await dialog.getByLabel('Name').fill('another editor');
      await dialog.getByLabel('Read what you can read').check();
    },
  },
  'the end of a personal key': { at: 'personal keys', buttons: ['Revoke editor'] },
  'a new project': { at: 'projects', buttons: ['Create a project'] },
  'the details of a project': { at: 'a project', buttons: ['Edit'] },
  'the end of a project': { at: 'a project', buttons: ['Delete'] },
  'a repository of a project': { at: 'a project', buttons: ['Add a repository'] },
  'a release of a project': { at: 'a project', buttons: [/^(?:Choose|Change)/] },
  'a request of the pro plan': {
    at: 'plan',
    buttons: ['Request the pro plan'],
    prepare: (page) => withoutRequest(page),
  },
  'the end of a request of the pro plan': { at: 'plan', buttons: ['Withdraw the request'] },
  'the approval of an upgrade': { at: 'upgrade requests', buttons: ['Approve acme'] },
  'the rejection of an upgrade': { at: 'upgrade requests', buttons: ['Reject acme'] },
  'the owner of an issue': { at: 'a release in development', buttons: [/^Assign issue/] },
  'a waiver': { at: WAITING, buttons: ['Request a waiver'] },
  'break-glass': { at: WAITING, buttons: ['Request break-glass…'] },
  'the confirmation of a waiver': { at: WAITING, buttons: ['Confirm…'], prepare: (page) => requestedByAnother(page) },
  'the confirmation of break-glass': {
    at: WAITING,
    buttons: ['Confirm…'],
    isLast: true,
    prepare: (page) => requestedByAnother(page),
  },
  'the end of a waiver': { at: WAITING, buttons: ['Withdraw…'] },
  'the end of break-glass': { at: WAITING, buttons: ['Withdraw…'], isLast: true },
  'the start of work': {
    at: 'a blocked release',
    buttons: ['Start work'],
    prepare: (page) => withReason(page, 'not_started'),
  },
  'another evidence pull request': {
    at: 'a blocked release',
    buttons: ['Open another pull request'],
    prepare: (page) => withReason(page, 'evidence_pull_closed'),
  },
  'the record of a deployment': { at: 'a blocked release', buttons: ['Record a deployment'] },
  'the set-up of a repository': {
    at: 'a repository',
    buttons: ['Set up'],
    prepare: (page) => withSetup(page, { setupState: 'NOT_STARTED' }),
  },
  'the protection of branches': {
    at: 'a repository',
    buttons: ['Protect the branches'],
    prepare: (page) =>
      withSetup(page, {
        setupState: 'COMPLETE',
        protection: { status: 'drifted', detail: 'A ruleset is missing.', tokenNeeded: true },
      }),
  },
  'an update of workflow files': {
    at: 'a repository',
    buttons: ['Update the workflow files'],
    prepare: (page) => withSetup(page, { setupState: 'COMPLETE' }),
  },
};

/** axe on every screen and every dialog. */
export function testAccessibility(dashboard: DashboardUnderTest): void {
  let overrides = '';

  beforeAll(async () => {
    const id = await createHotfix(dashboard, 'v2.9.2', ['junit-red.xml']);
    const owner = await dashboard.signIn();
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    await owner.post(`/api/milestones/${id}/waivers`, { condition: 'evidence_failing', reason: 'By hand', expiresAt });
    const { release } = await owner.get<{ readonly release: { readonly candidateSha: string } }>(
      `/api/milestones/${id}?look=stored`,
    );
    await owner.post(`/api/milestones/${id}/break-glass`, { sha: release.candidateSha, reason: 'Payments are down' });
    await owner.post('/api/settings/mcp-keys', { name: 'editor', scope: 'read' });
    await owner.post('/api/team/invites', { role: 'member' });
    // An earlier test may have left one, which is also fine.
    await owner.post('/api/billing/upgrade-requests', { note: 'Order 4713' }).catch(() => undefined);
    await owner.post('/api/freezes', { from: DAY, to: DAY, reason: 'Data center move' });
    overrides = `/w/acme/releases/${await findRelease(dashboard, 'checkout', 'v2.9.2')}/overrides`;
  }, PATIENCE_MS);

  it.each(Object.entries(SCREENS))('finds nothing on a screen: %s', async (_, addressOf) => {
    const address = await addressOf(dashboard);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await loadScreen(page, dashboard.url + address);
    await dashboard.expectSoundInAllModes(page);
  });

  it.each(Object.entries(DIALOGS))('finds nothing in a dialog: %s', async (_, one) => {
    const { at, buttons, isLast = false, nextButton, prepare, fill } = one;
    const [opener = '', ...further] = buttons;
    const address = at === WAITING ? overrides : await SCREENS[at]!(dashboard);
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await prepare?.(page);
    await loadScreen(page, dashboard.url + address);
    const openers = page.getByRole('button', { name: opener, exact: true });
    await (isLast ? openers.last() : openers.first()).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await fill?.(dialog);
    for (const name of further) await dialog.getByRole('button', { name, exact: true }).click();
    if (nextButton !== undefined) await dialog.getByRole('button', { name: nextButton }).waitFor();
    await dashboard.expectSoundInAllModes(page);
    expect(await dialog.count()).toBe(1);
  });

  it('finds nothing in the list of shortcuts and in the menu of the account', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      // An open menu and the tooltip of a focused button keep their places.
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await dashboard.expectSound(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menu').waitFor();
      await dashboard.expectSound(page, { hasMenu: true });
      await page.keyboard.press('Escape');
    }
  });
}

/** Adds a reason to each answer about a release. */
const withReason = (page: Page, code: string): Promise<unknown> =>
  page.route(/\/api\/milestones\/[^/]+\?look=/, async (route) => {
    const response = await route.fetch();
    const details = (await response.json()) as { reasons: object[] };
    const reason = { code, detail: 'This is a reason.', actor: 'team', override: 'none', failedTests: null };
    // Other reasons could fold it.
    details.reasons = [{ ...reason, closesGate: true }];
    await route.fulfill({ response, json: details });
  });

/** Makes the overrides those of another admin. */
const requestedByAnother = (page: Page): Promise<unknown> =>
  page.route(/\/api\/milestones\/[^/]+\/(?:waivers|break-glass)$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Readonly<Record<string, readonly object[]>>;
    const changed = Object.entries(body).map(
      ([name, overrides]) =>
        [name, overrides.map((override) => ({ ...override, requestedBy: 'ada', requestedById: 1 }))] as const,
    );
    await route.fulfill({ response, json: Object.fromEntries(changed) });
  });

/** The plan without a request for another one. */
const withoutRequest = (page: Page): Promise<unknown> =>
  page.route('**/api/billing', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), request: null } });
  });

/** Changes the set-up of the repository in each answer about it. */
async function withSetup(page: Page, change: object): Promise<void> {
  const workflow = {
    status: 'UPDATE_AVAILABLE',
    installedRevision: '91c07e5a2b6d4f38',
    targetRevision: '4be2c1d09f37a865',
    prNumber: null,
    prUrl: null,
  };
  await page.route(/\/api\/repos\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...((await response.json()) as object), workflow, ...change } });
  });
  await page.route('**/workflow-update-status', (route) =>
    route.fulfill({ json: { ...workflow, branch: null, managedFiles: [WORKFLOW] } }),
  );
}
