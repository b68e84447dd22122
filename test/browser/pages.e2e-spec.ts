import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { BuiltService } from '../contract/built-service.js';
import { DemoEnvironment } from '../demo/demo-environment.js';
import { DemoUser } from '../demo/demo-user.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { CHROMIUM, launchChromium } from './chromium.js';
import { Guest, type GuestOptions } from './guest.js';

const PATIENCE_MS = 240_000;
/** A name that would be a picture with a script, were it taken for markup. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)>';

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title =
  CHROMIUM === null ? 'people with a browser (skipped: no Chromium; name one in CHROMIUM)' : 'people with a browser';

inBrowser(title, () => {
  let folder: string;
  let set: DemoEnvironment;
  let browser: Browser;
  let globex: Organization;
  let mallory: User;
  const guests: Guest[] = [];

  beforeAll(async () => {
    BuiltService.build();
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-pages-'));
    // Every guest comes from one address, and a demo may be running beside.
    set = await DemoEnvironment.raise(process.cwd(), folder, { port: 0, variables: { RATE_LIMITS: 'off' } });
    globex = set.github.createOrganization({ login: 'globex', founder: set.cast.owner });
    set.github.installApp(set.githubApp, globex);
    mallory = set.github.createUser({ login: 'mallory', name: HOSTILE_NAME });
    set.organization.addMember(mallory);
    browser = await launchChromium();
    await untilInstalled();
  }, PATIENCE_MS);

  afterEach(async () => {
    for (const guest of guests.splice(0)) await guest.leave();
  });

  afterAll(async () => {
    await browser.close();
    await set.strike();
    rmSync(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  /** The owner becomes an admin of a workspace at the sign-in, if the service has heard of it by then. */
  async function untilInstalled(): Promise<void> {
    for (let known = 0; known < 2;) {
      const owner = await DemoUser.signIn(set.baseUrl, set.cast.owner.login);
      known = (await owner.get<{ workspaces: readonly unknown[] }>('/api/auth/workspaces')).workspaces.length;
    }
  }

  async function arrive(address = '/', options?: GuestOptions): Promise<Guest> {
    const guest = await Guest.arrive(browser, options);
    guests.push(guest);
    await guest.page.goto(new URL(address, set.baseUrl).href);
    return guest;
  }

  /** An owner of both organizations who was never here, and so has selected no workspace. */
  function createOwner(login: string): string {
    const owner = set.github.createUser({ login });
    for (const organization of [set.organization, globex]) organization.addMember(owner, 'admin');
    return login;
  }

  async function invite(user: User): Promise<string> {
    const owner = await DemoUser.signIn(set.baseUrl, set.cast.owner.login);
    await owner.post('/api/auth/workspace', { org: 'acme' });
    return (await owner.post<{ url: string }>('/api/team/invites', { login: user.login, role: 'member' })).url;
  }

  it('sign in a user, who chooses a workspace, switches to another and signs out', async () => {
    const guest = await arrive();
    const { page } = guest;
    await guest.reads('Releases that can show they are ready');
    await guest.signInAs(createOwner('ada'));
    await guest.reads('Choose a workspace');
    expect(page.url()).toBe(`${set.baseUrl}/`);
    await page.getByRole('button', { name: 'acme' }).click();
    await guest.reads('acme');
    expect(await guest.part('Plan')).toMatch(/Free\s+3 of 3 managed repositories/);
    expect(await guest.part('Team')).toMatch(/ada\s+Admin/);
    expect(await guest.part('Keys for CI')).toContain('There are none.');
    expect(await guest.part('Your keys for tools')).toContain('You have none.');
    expect(await page.title()).toBe('acme · Shipgate');

    await page.getByText('Switch workspace').click();
    await page.getByRole('button', { name: 'globex' }).click();
    await guest.reads('globex');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('globex');
    await page.reload();
    await guest.reads('globex');

    const cookie = await guest.cookie();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await guest.reads('Releases that can show they are ready');
    expect(await guest.cookie()).not.toContain('connect.sid');
    expect((await fetch(`${set.baseUrl}/api/auth/me`, { headers: { cookie } })).status).toBe(401);
    expect(guest.complaints).toEqual([]);
  });

  it('accept an invite after the sign-in', async () => {
    const address = await invite(set.cast.secondDeveloper);
    const token = new URL(address).hash.slice(1);
    const guest = await arrive(address);
    const { page } = guest;
    await guest.reads('You are invited to Shipgate');
    expect(page.url()).toBe(`${set.baseUrl}/invite`);
    await guest.signInAs(set.cast.secondDeveloper.login);
    await page.getByText('You are signed in as second-developer.').waitFor();
    await page.getByRole('button', { name: 'Accept the invite' }).click();
    await guest.reads('Welcome to acme');
    await page.getByRole('link', { name: 'Go to the workspace' }).click();
    await guest.reads('acme');
    expect(await guest.part('Team')).toMatch(/second-developer\s+Member/);
    expect(guest.complaints).toEqual([]);

    const log = await guest.page.evaluate('JSON.stringify(Object.entries(sessionStorage))');
    expect(log).not.toContain(token);
    await page.goto(address);
    await page.getByRole('button', { name: 'Accept the invite' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('You are a member of acme already');
  });

  it('explain why an invite is rejected', async () => {
    const guest = await arrive('/invite');
    await guest.reads('There is no invite here');
    expect(await guest.page.getByRole('alert').innerText()).toContain('open the whole link');
    // The whole link in the same tab changes nothing but the fragment.
    await guest.page.goto(`${set.baseUrl}/invite#sgi_not-a-token`);
    await guest.reads('You are invited to Shipgate');
    await guest.signInAs('developer');
    await guest.page.getByRole('button', { name: 'Accept the invite' }).click();
    await guest.reads('This invite does not let you in');
    expect(await guest.page.getByRole('alert').innerText()).toContain('There is no such invite');
  });

  it('say without scripts that the page needs scripts, and do not wait for them', async () => {
    const guest = await arrive('/invite', { scripts: false });
    const text = await guest.page.innerText('main');
    expect(text).toContain('This page needs JavaScript.');
    expect(text).not.toContain('Loading');
    expect(guest.complaints).toEqual([]);
  });

  it('explain to a user without a workspace how to join one', async () => {
    const guest = await arrive('/', { width: 360 });
    await guest.signInAs('release-manager');
    await guest.reads('You are in no workspace yet');
    const install = await guest.page.getByRole('link', { name: 'Install the app' }).getAttribute('href');
    expect(install).toBe(`${set.github.url}/apps/shipgate/installations/new`);
    expect(guest.complaints).toEqual([]);
  });

  it('show a name as its owner typed it, never as markup', async () => {
    const address = await invite(mallory);
    const guest = await arrive(address);
    await guest.signInAs('mallory');
    await guest.page.getByRole('button', { name: 'Accept the invite' }).click();
    await guest.reads('Welcome to acme');
    await guest.page.goto(set.baseUrl);
    await guest.reads('acme');
    expect(await guest.part('Team')).toContain(HOSTILE_NAME);
    expect(await guest.page.locator('#account').innerText()).toContain(HOSTILE_NAME);
    expect(guest.complaints).toEqual([]);
  });

  it('ask for a new sign-in when the session has ended', async () => {
    const login = createOwner('grace');
    const guest = await arrive();
    await guest.signInAs(login);
    await guest.reads('Choose a workspace');
    const headers = { cookie: await guest.cookie(), origin: set.baseUrl };
    await fetch(`${set.baseUrl}/api/auth/logout`, { method: 'POST', headers });
    await guest.page.getByRole('button', { name: 'acme' }).click();
    await guest.page.getByRole('alert').waitFor();
    await guest.page.reload();
    await guest.reads('Your session has ended');
    await guest.signInAs(login);
    await guest.page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('show a message in place of a part that fails, and the other parts', async () => {
    const guest = await arrive();
    const { page } = guest;
    const error = 'The database cannot be reached now.';
    await page.route('**/api/billing', (route) => route.fulfill({ status: 503, json: { error } }));
    await page.route('**/api/team', (route) => route.abort());
    await guest.signInAs(createOwner('edsger'));
    await page.getByRole('button', { name: 'acme' }).click();
    expect(await guest.part('Plan')).toContain(error);
    expect(await guest.part('Team')).toContain('Shipgate cannot be reached.');
    expect(await guest.part('Keys for CI')).toContain('There are none.');
  });

  it('need no horizontal scrolling on a narrow screen', async () => {
    const guest = await arrive('/', { width: 360 });
    const overflow = (): Promise<number> =>
      guest.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await guest.signInAs(createOwner('somebody-with-a-rather-long-login-1234'));
    await guest.reads('Choose a workspace');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await guest.page.getByRole('button', { name: 'acme' }).click();
    await guest.part('Team');
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  it('let keyboard users reach the content first, and everything after it', async () => {
    const guest = await arrive();
    await guest.page.keyboard.press('Tab');
    expect(await guest.page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await guest.page.keyboard.press('Enter');
    await guest.page.keyboard.press('Tab');
    expect(await guest.page.evaluate('document.activeElement.textContent')).toBe('Sign in with GitHub');
  });

  it('leave the keyboard focus in place after an error, and move it to new content', async () => {
    const guest = await arrive();
    const { page } = guest;
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    const failing = { status: 503, json: { error: 'The database cannot be reached now.' } };
    await guest.signInAs(createOwner('barbara'));
    await guest.reads('Choose a workspace');
    await page.route('**/api/auth/workspace', (route) => route.fulfill(failing));
    await page.getByRole('button', { name: 'acme' }).press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await focused()).toBe('acmeAdmin');
    await page.unroute('**/api/auth/workspace');
    await page.keyboard.press('Enter');
    await guest.reads('acme');
    expect(await focused()).toBe('acme');

    await page.route('**/api/auth/me', (route) => route.fulfill(failing));
    await page.reload();
    await guest.reads('This did not work');
    await page.unroute('**/api/auth/me');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await guest.reads('acme');
    expect(await focused()).toBe('acme');
  });

  it('update a tab after another tab changed the session', async () => {
    const guest = await arrive();
    await guest.signInAs(createOwner('hedy'));
    await guest.page.getByRole('button', { name: 'acme' }).click();
    await guest.reads('acme');
    const other = await guest.page.context().newPage();
    await other.goto(set.baseUrl);
    await other.getByText('Switch workspace').click();
    await other.getByRole('button', { name: 'globex' }).click();
    await other.getByRole('heading', { level: 1, name: 'globex' }).waitFor();

    // A browser without a window hides none of its tabs.
    const comeBack = (): Promise<unknown> =>
      guest.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await comeBack();
    await guest.reads('globex');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('link', { name: 'Sign in with GitHub' }).waitFor();
    await comeBack();
    await guest.reads('Your session has ended');
    expect(await guest.page.getByRole('button').count()).toBe(0);
  });
});
