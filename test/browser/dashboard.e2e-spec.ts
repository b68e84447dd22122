import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { BuiltService } from '../contract/built-service.js';
import { DemoEnvironment } from '../demo/demo-environment.js';
import { DemoUser } from '../demo/demo-user.js';
import { CHROMIUM, launchChromium } from './chromium.js';
import { Guest, type GuestOptions } from './guest.js';

const PATIENCE_MS = 240_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The browser reports each 401 on its console, also the one by which the dashboard learns that there is no session. */
const SIGNED_OUT = /status of 401/;
/** A title that would be a picture with a script if it were used as markup. */
const HOSTILE_TITLE = '<img src=x onerror=alert(1)>';
const VERSIONS = ['v1.9.0', 'v1.10.0', 'v2.0.0'];

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title = CHROMIUM === null ? 'the dashboard (skipped: no Chromium; name one in CHROMIUM)' : 'the dashboard';

inBrowser(title, () => {
  let folder: string;
  let set: DemoEnvironment;
  let browser: Browser;
  const guests: Guest[] = [];

  beforeAll(async () => {
    BuiltService.build();
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-dashboard-'));
    set = await DemoEnvironment.raise(process.cwd(), folder, { port: 0, variables: { RATE_LIMITS: 'off' } });
    browser = await launchChromium();
    for (const version of VERSIONS) set.repositories.catalog.milestones.create({ title: version });
    set.repositories.payments.milestones.create({ title: 'v3.0.0', description: HOSTILE_TITLE });
    const owner = await signInToWorkspace();
    for (let known = 0; known < VERSIONS.length + 1;) {
      known = (await owner.get<{ releases: readonly unknown[] }>('/api/dashboard')).releases.length;
    }
  }, PATIENCE_MS);

  afterEach(async () => {
    for (const guest of guests.splice(0)) await guest.leave();
  });

  afterAll(async () => {
    await browser.close();
    await set.strike();
    rmSync(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  /** The owner becomes an admin of the workspace at the sign-in, if the service knows the installation by then. */
  async function signInToWorkspace(): Promise<DemoUser> {
    for (;;) {
      const owner = await DemoUser.signIn(set.baseUrl, set.cast.owner.login);
      const { workspaces } = await owner.get<{ workspaces: readonly unknown[] }>('/api/auth/workspaces');
      if (workspaces.length === 0) continue;
      await owner.post('/api/auth/workspace', { org: 'acme' });
      return owner;
    }
  }

  async function open(address: string, options?: GuestOptions): Promise<Guest> {
    const guest = await Guest.arrive(browser, options);
    guests.push(guest);
    await guest.page.goto(new URL(address, set.baseUrl).href);
    return guest;
  }

  /** Opens a URL of the dashboard as the owner of the organization, through the sign-in. */
  async function openSignedIn(address: string, options?: GuestOptions): Promise<Page> {
    const guest = await open(address, options);
    await guest.reads('Sign in');
    await guest.signInAs(set.cast.owner.login);
    await guest.page.getByRole('table').waitFor();
    return guest.page;
  }

  const complaints = (): readonly string[] =>
    guests.flatMap((guest) => guest.complaints.filter((complaint) => !SIGNED_OUT.test(complaint)));

  const rows = async (page: Page): Promise<readonly string[]> =>
    page.getByRole('rowheader').getByRole('link').allInnerTexts();

  it('returns after the sign-in to the URL with its filters', async () => {
    const page = await openSignedIn('/w/acme/releases?q=1.10&outcome=in_progress');
    expect(page.url()).toBe(`${set.baseUrl}/w/acme/releases?q=1.10&outcome=in_progress`);
    expect(await rows(page)).toEqual(['catalog v1.10.0']);
    expect(complaints()).toEqual([]);
  });

  it('shows the notice of a failed sign-in, and no text of the URL', async () => {
    const { page } = await open('/sign-in?notice=denied');
    const alert = page.getByRole('alert');
    expect(await alert.innerText()).toBe('You did not authorize the app. To try again, sign in.');
    for (const [notice, text] of [
      ['github_rejected', 'GitHub rejected the sign-in.'],
      ['code_rejected', 'GitHub rejected the code'],
      ['expired', 'longer than 10 minutes'],
    ] as const) {
      await page.goto(`${set.baseUrl}/sign-in?notice=${notice}`);
      await alert.getByText(text).waitFor();
    }
    await page.goto(`${set.baseUrl}/sign-in?notice=constructor`);
    await page.getByRole('link', { name: 'Sign in with GitHub' }).waitFor();
    expect(await alert.count()).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it('lists the releases with the counts of the service', async () => {
    const page = await openSignedIn('/w/acme/releases');
    const { counts } = await (await signInToWorkspace()).get<{ counts: Record<string, number> }>('/api/dashboard');
    expect((await rows(page)).toSorted()).toEqual(
      ['catalog v1.10.0', 'catalog v1.9.0', 'catalog v2.0.0', 'payments v3.0.0'].toSorted(),
    );
    const tabs = await page.getByRole('navigation', { name: 'Outcome' }).getByRole('link').allInnerTexts();
    expect(tabs.map((tab) => tab.replaceAll(/\s+/g, ' '))).toEqual(
      ['All', 'Blocked', 'Needs approval', 'Ready to deploy', 'In progress'].map((name, at) =>
        expect.stringContaining(
          `${name} ${['all', 'blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'].map((key) => counts[key])[at]}`,
        ),
      ),
    );
    expect(complaints()).toEqual([]);
  });

  it('keeps search and tab in the URL, through back, forward and reload', async () => {
    const page = await openSignedIn('/w/acme/releases');
    await page.getByRole('link', { name: /^In progress/ }).click();
    await page.waitForURL('**/releases?outcome=in_progress');
    await page.getByRole('searchbox').fill('1.9');
    await page.waitForURL('**/releases?outcome=in_progress&q=1.9');
    await expectRows(page, ['catalog v1.9.0']);
    await page.goBack();
    await page.waitForURL('**/releases');
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('');
    await page.goForward();
    await page.reload();
    await expectRows(page, ['catalog v1.9.0']);
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('1.9');
    expect(complaints()).toEqual([]);
  });

  it('shows the list without invalid filters of the URL, and sends none of them', async () => {
    const guest = await open('/w/acme/releases?outcome=shipped&page=-1&size=7&x=1');
    await guest.reads('Sign in');
    const requests: string[] = [];
    guest.page.on('request', (request) => requests.push(request.url()));
    await guest.signInAs(set.cast.owner.login);
    await guest.page.getByRole('table').waitFor();
    expect(requests.filter((url) => url.includes('/api/dashboard'))).toEqual([
      `${set.baseUrl}/api/dashboard?page=1&pageSize=25`,
    ]);
    expect(guest.page.url()).toBe(`${set.baseUrl}/w/acme/releases`);
  });

  it('names the filters that have no result, and offers to clear them', async () => {
    const page = await openSignedIn('/w/acme/releases');
    await page.getByRole('searchbox').fill('nothing-has-this-name');
    await page.getByText('No release matches these filters.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('table').waitFor();
    expect(await rows(page)).toHaveLength(4);
    expect(complaints()).toEqual([]);
  });

  it('shows the sentence of the service if the list fails, and tries again', async () => {
    const page = await openSignedIn('/w/acme/releases');
    await page.route('**/api/dashboard?*', (route) =>
      route.fulfill({
        status: 400,
        json: { error: 'This is a sentence of the service.' },
        headers: { 'x-request-id': 'r1' },
      }),
    );
    await page.getByRole('searchbox').fill('catalog');
    const alert = page.getByRole('alert');
    await alert.getByText('This is a sentence of the service.').waitFor();
    expect(await alert.innerText()).toContain('Request r1');
    await page.unroute('**/api/dashboard?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expectRows(
      page,
      VERSIONS.map((version) => `catalog ${version}`),
    );
    await alert.waitFor({ state: 'detached' });
  });

  it('says that the session has ended, and makes the screen inert', async () => {
    const page = await openSignedIn('/w/acme/releases');
    await page.context().clearCookies();
    await page.getByRole('searchbox').fill('catalog');
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.locator('main').evaluate((main) => main.closest('[inert]') !== null)).toBe(true);
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL('**/sign-in?returnTo=**');
  });

  it('starts no workspace whose name is not that of the session', async () => {
    const page = await openSignedIn('/w/acme/releases');
    await page.goto(`${set.baseUrl}/w/globex/releases`);
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'has no accessibility finding in %s at %d px, and no horizontal scrolling',
    async (colorScheme, width) => {
      const page = await openSignedIn('/w/acme/releases', { width, colorScheme });
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.goto(`${set.baseUrl}/sign-in`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await findings(page)).toEqual([]);
      expect(complaints()).toEqual([]);
    },
  );

  it('says without scripts that it needs them', async () => {
    const guest = await open('/w/acme/releases', { scripts: false });
    expect(await guest.page.innerText('body')).toContain('The dashboard needs JavaScript.');
  });

  /** Waits until the list shows these releases, in any order. */
  async function expectRows(page: Page, releases: readonly string[]): Promise<void> {
    for (const release of releases) await page.getByRole('link', { name: release, exact: true }).waitFor();
    await page.getByRole('rowheader').nth(releases.length).waitFor({ state: 'detached' });
  }
});

/** Returns the violations of WCAG 2.2 AA and of best practices on the page. */
async function findings(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{
    violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  }>('axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })');
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
