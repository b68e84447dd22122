import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const CREDENTIALS = {
  'Set-up code': 'WRONG-CODE',
  'App id': '4711',
  'Client id': 'Iv1.client',
  'Client secret': 'the client secret',
  'Webhook secret': 'the webhook secret',
  'Private key': '-----BEGIN RSA PRIVATE KEY-----',
};

/** The first screens of a user: set-up, sign-in and the choice of a workspace. */
export function testEntry(dashboard: DashboardUnderTest): void {
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');

  it('leads from the start page to the sign-in, then to the releases', async () => {
    const guest = await dashboard.open('/');
    await guest.reads('Sign in');
    await dashboard.expectSound(guest.page);
    await guest.signInAs('developer');
    await guest.reads('Releases');
    await guest.page.goto(dashboard.url);
    await guest.reads('Releases');
    expect(guest.page.url()).toBe(`${dashboard.url}/w/acme/releases`);
    await guest.page.getByRole('button', { name: 'Account of developer' }).click();
    await guest.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await guest.reads('Sign in');
    expect(await guest.cookie()).not.toContain('connect.sid');
  });

  it('lets a user choose between workspaces, and makes the tab of the other one inert', async () => {
    const { environment } = dashboard;
    const ada = environment.github.createUser({ login: 'ada-with-a-rather-long-login-1234' });
    environment.organization.addMember(ada, 'admin');
    const globex = environment.github.createOrganization({ login: 'globex', founder: ada });
    environment.github.installApp(environment.githubApp, globex);
    const guest = await dashboard.open('/', { width: 360, colorScheme: 'dark' });
    const { page } = guest;
    await guest.reads('Sign in');
    await guest.signInAs(ada.login);
    await guest.reads('Workspaces');
    await page.getByRole('button', { name: /^globex/ }).waitFor();
    await dashboard.expectSound(page);
    dashboard.expectRejections(503);
    const failing = { status: 503, json: { error: 'The database cannot be reached now.' } };
    await page.route('**/api/auth/workspace', (route) => route.fulfill(failing));
    await page.getByRole('button', { name: /^acme/ }).press('Enter');
    await page.getByText('The database cannot be reached now.').waitFor();
    await page.unroute('**/api/auth/workspace');
    await page.getByRole('button', { name: /^acme/ }).press('Enter');
    await guest.reads('Releases');
    await page.reload();
    await guest.reads('Releases');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');

    await page.getByRole('button', { name: 'New release' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Repository').selectOption({ label: 'catalog' });
    await form.getByLabel(/^Version/).fill('v7.0.0');
    const other = await page.context().newPage();
    await other.goto(`${dashboard.url}/workspaces`);
    await other.getByRole('button', { name: /^globex/ }).click();
    await other.getByRole('heading', { level: 1, name: 'Releases' }).waitFor();
    await page.getByText('You have selected another workspace in another tab.').waitFor();
    expect(await page.locator('main').evaluate((main) => main.closest('[inert]') !== null)).toBe(true);
    expect(await form.isVisible()).toBe(false);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.keyboard.press('Enter');
    await page.evaluate('document.querySelector("[role=dialog] form").requestSubmit()');
    const away = page.getByRole('link', { name: 'Switch workspace' });
    const isFocused = () => away.evaluate((link) => link.matches(':focus'));
    for (let key = 0; key < 10 && !(await isFocused()); key += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await guest.reads('Workspaces');
    expect(sent).not.toContain('POST');
    expect(environment.repositories.catalog.milestones.list().map(({ title }) => title)).not.toContain('v7.0.0');
  });

  it('opens the first workspace automatically when GitHub has been read', async () => {
    const { github, githubApp } = dashboard.environment;
    const founder = github.createUser({ login: 'initech-owner' });
    const initech = github.createOrganization({ login: 'initech', founder });
    const guest = await dashboard.open('/', { width: 360 });
    await guest.reads('Sign in');
    await guest.signInAs(founder.login);
    await guest.page.getByText('You are not a member of any workspace.').waitFor();
    const loadedAt = await guest.page.evaluate('performance.timeOrigin');
    const members = github.faults.hold(/^GET \/orgs\/initech\/members/);
    github.installApp(githubApp, initech);
    await members.came;
    await guest.page.getByText('We are reading your organizations.').waitFor();
    expect(await guest.page.getByText('You are not a member').count()).toBe(0);
    await dashboard.expectSound(guest.page);
    members.letThrough();
    await guest.reads('Releases');
    expect(guest.page.url()).toBe(`${dashboard.url}/w/initech/releases`);
    expect(await guest.page.evaluate('performance.timeOrigin')).toBe(loadedAt);
  });

  it('tells a user without a workspace how to join one', async () => {
    dashboard.environment.github.createUser({ login: 'visitor' });
    const guest = await dashboard.open('/');
    await guest.reads('Sign in');
    await guest.signInAs('visitor');
    await guest.reads('Workspaces');
    const install = guest.page.getByRole('link', { name: 'Install the app' });
    expect(await install.getAttribute('href')).toBe(
      `${dashboard.environment.github.url}/apps/shipgate/installations/new`,
    );
    await guest.page.goto(`${dashboard.url}/?notice=installation_requested`);
    await guest.page.getByText('GitHub sent your request to the owners of the organization.').waitFor();
    await guest.page.goto(`${dashboard.url}/?notice=<b>anything</b>`);
    await guest.reads('Workspaces');
    expect(await guest.page.innerText('main')).not.toContain('anything');
    await dashboard.expectSound(guest.page);
  });

  it('sets the service up, and clears all values after a response', async () => {
    const { page } = await dashboard.open('/sign-in', { width: 360 });
    const config = (await (await fetch(`${dashboard.url}/api/config/status`)).json()) as object;
    await page.route('**/api/config/status', (route) =>
      route.fulfill({ json: { ...config, configured: false, appSlug: null, installUrl: null, loginUrl: null } }),
    );
    const answers = [
      { status: 403, json: { error: 'The set-up code is invalid. Use the code that the service printed.' } },
      { status: 422, json: { error: 'GitHub rejects these credentials. privateKey: it is not a key.' } },
      {
        status: 201,
        json: { configured: true, appSlug: 'gate', installUrl: 'https://github.com/apps/gate/installations/new' },
      },
    ];
    const sent: unknown[] = [];
    await page.route('**/api/config/setup', async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill(answers[sent.length - 1] ?? {});
    });
    await page.goto(dashboard.url);
    await page.getByText('npm run setup').waitFor();
    expect(page.url()).toBe(`${dashboard.url}/setup`);
    await dashboard.expectSound(page);
    const submit = page.getByRole('button', { name: 'Set up' });
    const send = async (): Promise<void> => {
      for (const [label, value] of Object.entries(CREDENTIALS))
        await page.getByLabel(label, { exact: true }).fill(value);
      await submit.click();
    };
    await send();
    await page.getByRole('alert').getByText('The set-up code is invalid.').waitFor();
    expect(sent[0]).toMatchObject({ setupCode: 'WRONG-CODE', appId: '4711', clientSecret: 'the client secret' });
    for (const value of Object.values(CREDENTIALS)) await expectNoValue(page, value);
    expect(await submit.isDisabled()).toBe(true);
    await send();
    await page.getByRole('alert').getByText('privateKey: it is not a key.').waitFor();
    for (const value of Object.values(CREDENTIALS)) await expectNoValue(page, value);
    await send();
    await page.getByRole('heading', { level: 1, name: 'Shipgate is set up' }).waitFor();
    expect(await page.getByRole('link', { name: 'Install the app' }).getAttribute('href')).toBe(
      answers[2]?.json.installUrl,
    );
    for (const value of Object.values(CREDENTIALS)) await dashboard.expectNowhere(page, value);
  });

  it('shows on every first page that it needs scripts if they are disabled', async () => {
    for (const path of ['/', '/setup', '/invite', '/platform/upgrade-requests']) {
      const { page } = await dashboard.open(path, { scripts: false });
      expect(await page.innerText('body')).toContain('The dashboard needs JavaScript.');
    }
  });

  async function expectNoValue(page: Page, value: string): Promise<void> {
    const values = await page.locator('input, textarea').evaluateAll((all) => all.map((field) => field.value));
    expect(values.join('\n')).not.toContain(value);
  }
}
