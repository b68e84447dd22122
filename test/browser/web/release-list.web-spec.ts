import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { until, untilLoaded } from './own-release.js';

const OUTCOMES = ['all', 'blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'] as const;
const TABS = ['All', 'Blocked', 'Needs approval', 'Ready to deploy', 'In progress'];

interface ReleaseList {
  readonly counts: Readonly<Record<(typeof OUTCOMES)[number], number>>;
  readonly releases: readonly {
    readonly repo: string;
    readonly version: string;
    readonly outcome: (typeof OUTCOMES)[number];
    readonly stage: string;
    readonly blockers: readonly {
      readonly detail: string;
      readonly actor: string;
      readonly users: readonly { readonly login: string }[];
    }[];
  }[];
}

/** The list of active releases. */
export function testReleaseList(dashboard: DashboardUnderTest): void {
  it('lists the releases and the counts of the service', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const { counts, releases } = await (await dashboard.signIn()).get<ReleaseList>('/api/dashboard');
    await expectRows(page, releases);
    expect(await readTabs(page)).toEqual(describeTabs(counts));
    for (const { repo, version, outcome, blockers } of releases) {
      const row = await page.getByRole('row', { name: `${repo} ${version}` }).innerText();
      expect(row).toContain(TABS[OUTCOMES.indexOf(outcome)]);
      for (const { detail, actor, users } of blockers.slice(0, 1)) {
        expect(row).toContain(detail);
        if (users.length === 0) expect(row.toLowerCase()).toContain(actor === 'service' ? 'shipgate' : actor);
        for (const { login } of users) expect(row).toContain(login);
      }
    }
    await page.getByRole('searchbox').fill('catalog');
    const found = await (await dashboard.signIn()).get<ReleaseList>('/api/dashboard?search=catalog');
    await expectRows(page, found.releases);
    expect(await readTabs(page)).toEqual(describeTabs(found.counts));
    expect(await page.title()).toBe('Releases · Shipgate');
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the first steps while there is no active release, with what is done by the answers of the service', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes', { width: 1280 });
    const pagination = { page: 1, pageSize: 25, total: 0, pages: 1 };
    const counts = { all: 0, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 };
    const choices = { owners: [], repos: [], milestones: [], types: [], environments: [] };
    await page.route('**/api/dashboard?*', (route) => route.fulfill({ json: { releases: [], counts, pagination } }));
    await page.route('**/api/quality?*', (route) => route.fulfill({ json: { results: [], choices, pagination } }));
    await page.goto(`${dashboard.url}/w/acme/releases`);
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
    await steps.first().waitFor();
    // The repositories of the demonstration have a policy of their own, and no rulesets of Shipgate.
    expect(await steps.evaluateAll((all) => all.map((step) => step.textContent?.split('.')[0]))).toEqual([
      expect.stringMatching(/^Install the GitHub App\s+Done/),
      expect.stringMatching(/^Set up a repository\s+Done/),
      expect.stringMatching(/^Upload the first evidence\s+Next/),
      expect.stringMatching(/^Protect the branches\s+Not done/),
      expect.stringMatching(/^Invite your team\s+Done/),
    ]);
    await dashboard.expectSoundInAllModes(page);
    await page.getByRole('link', { name: 'Show the lines for CI' }).click();
    await page.waitForURL('**/settings/api-keys#ci');
    await dashboard.expectLanded(page, page.getByRole('region', { name: 'Configuration for CI' }));

    dashboard.expectRejections(500);
    await page.route('**/api/team', (route) => route.fulfill({ status: 500, json: { error: 'No.' } }));
    await page.goto(`${dashboard.url}/w/acme/releases`);
    await page.getByText('The state of the first steps could not be loaded.').waitFor();
  });

  it('keeps search and tab in the URL, through back, forward and reload', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('link', { name: /^In progress/ }).click();
    await page.waitForURL('**/releases?outcome=in_progress');
    await expect(page.locator('nav[aria-label="Outcome"] [aria-current]').allInnerTexts()).resolves.toEqual([
      expect.stringContaining('In progress'),
    ]);
    await page.getByRole('searchbox').fill('2.3');
    await page.waitForURL('**/releases?outcome=in_progress&q=2.3');
    await expectRows(page, [{ repo: 'checkout', version: 'v2.3.0' }]);
    await page.goBack();
    await page.waitForURL('**/releases');
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('');
    await page.goForward();
    await page.reload();
    await expectRows(page, [{ repo: 'checkout', version: 'v2.3.0' }]);
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('2.3');
    expect(dashboard.complaints).toEqual([]);
  });

  it('begins with what is urgent, says what is due, and keeps another order in the URL', async () => {
    const user = await dashboard.signIn();
    const order = async (sort: string): Promise<readonly string[]> =>
      (await user.get<ReleaseList>(`/api/dashboard?sort=${sort}`)).releases.map(
        ({ repo, version }) => `${repo} ${version}`,
      );
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const rows = page.getByRole('rowheader').getByRole('link');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual(await order('urgency'));
    expect((await order('urgency'))[0]).toBe('catalog v0.9.0');
    const overdue = page.getByRole('row', { name: 'checkout v2.3.0' });
    await overdue.getByText('Overdue').waitFor();
    expect(await overdue.getByRole('img').count()).toBe(0);
    await page.getByLabel('Order').selectOption('Last changed first');
    await page.waitForURL('**/releases?sort=updated');
    await page.reload();
    await untilLoaded(page);
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual(await order('updated'));
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the releases of each repository by stage, also in a narrow window and with the keyboard', async () => {
    const { releases } = await (await dashboard.signIn()).get<ReleaseList>('/api/dashboard');
    const page = await dashboard.openSignedIn('/w/acme/releases?outcome=in_progress');
    await page.getByRole('link', { name: 'Show by repository and stage' }).click();
    await page.waitForURL('**/releases?outcome=in_progress&view=stages');
    await page.getByRole('link', { name: /^All/ }).click();
    const table = page.getByRole('table', { name: 'by repository and stage' });
    const columns = await table.getByRole('columnheader').allInnerTexts();
    expect(columns).toEqual(['Repository', 'Planning', 'Development', 'Testing', 'Evidencing', 'Deployment']);
    for (const { repo, version, outcome, stage } of releases) {
      const at = columns.findIndex((column) => column.toUpperCase() === stage) - 1;
      const item = table.getByRole('row', { name: repo }).getByRole('cell').nth(at).getByRole('listitem');
      const cell = item.filter({ hasText: version });
      await cell.getByText(TABS[OUTCOMES.indexOf(outcome)] ?? '').waitFor();
      await cell.locator('svg').first().waitFor();
    }
    await dashboard.expectSoundInAllModes(page);
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Tab');
    expect(
      await table
        .getByRole('link')
        .nth(1)
        .evaluate((link) => link === link.ownerDocument.activeElement),
    ).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Stages' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Show a list' }).click();
    await page.waitForURL('**/releases');
  });

  it('counts what waits beside the navigation, after the screen has its data', async () => {
    const counts = { blockedReleases: 12, reviews: 0 };
    const page = await dashboard.openSignedIn('/w/acme/history', { width: 1280 });
    await page.route('**/api/dashboard/waiting', (route) => route.fulfill({ json: counts }));
    await page.reload();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Releases 12 blocked' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Reviews', exact: true }).count()).toBe(1);
    await dashboard.expectSound(page);
  });

  it('moves no tab when the numbers arrive, so that a click meets the tab that the user points at', async () => {
    const page = await dashboard.openSignedIn('/w/acme/reviews', { width: 1000 });
    let answer = (): void => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/dashboard?*', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.goto(`${dashboard.url}/w/acme/releases`);
    const tabs = page.getByRole('navigation', { name: 'Outcome' }).getByRole('link');
    const readPlaces = (): Promise<readonly number[]> =>
      tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().x));
    await tabs.nth(TABS.length - 1).waitFor();
    const before = await readPlaces();
    answer();
    await page.getByRole('table').waitFor();
    expect(await readPlaces()).toEqual(before);
    expect(await readTabs(page)).not.toEqual(TABS);
  });

  it('keeps the page in the URL, through back, forward, reload and another search', async () => {
    const { milestones } = dashboard.environment.repositories.catalog;
    const created = Array.from({ length: 12 }, (_, patch) => milestones.create({ title: `v60.0.${patch}` }));
    const user = await dashboard.signIn();
    await until('the service knows them', async () => {
      const { counts } = await user.get<ReleaseList>('/api/dashboard?search=v60');
      return counts.all === created.length;
    });
    const page = await dashboard.openSignedIn('/w/acme/releases?q=v60&size=10');
    const rows = page.getByRole('rowheader', { name: 'catalog v60.0.' });
    const expectPage = async (number: 1 | 2): Promise<void> => {
      await page.waitForURL(number === 1 ? '**/releases?q=v60&size=10' : `**/releases?q=v60&size=10&page=2`);
      await page.locator(`[aria-label="Page ${number}"][aria-current="page"]`).waitFor();
      await until('the rows of the page are shown', async () => (await rows.count()) === (number === 1 ? 10 : 2));
    };
    await expectPage(1);
    await page.getByRole('link', { name: 'Page 2' }).click();
    await expectPage(2);
    await page.goBack();
    await expectPage(1);
    await page.goForward();
    await expectPage(2);
    await page.reload();
    await expectPage(2);
    await page.getByRole('searchbox').fill('v60.0.1');
    await page.waitForURL('**/releases?q=v60.0.1&size=10');
    await expectRows(page, (await user.get<ReleaseList>('/api/dashboard?search=v60.0.1')).releases);
    for (const milestone of created) milestones.close(milestone);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the list without invalid filters of the URL, and sends none of them', async () => {
    const guest = await dashboard.open('/w/acme/releases?outcome=shipped&page=-1&size=7&x=1');
    await guest.reads('Sign in');
    const requests: string[] = [];
    guest.page.on('request', (request) => requests.push(request.url()));
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await guest.page.getByRole('table').waitFor();
    expect(new Set(requests.filter((url) => url.includes('/api/dashboard?')))).toEqual(
      new Set([`${dashboard.url}/api/dashboard?page=1&pageSize=25&sort=urgency`]),
    );
    expect(guest.page.url()).toBe(`${dashboard.url}/w/acme/releases`);
  });

  it('gets a page again without its body if nothing changed', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const { releases } = await (await dashboard.signIn()).get<ReleaseList>('/api/dashboard');
    await expectRows(page, releases);
    const repeated = page.waitForResponse('**/api/dashboard?*');
    await page.keyboard.press('r');
    expect((await repeated).status()).toBe(304);
    await expectRows(page, releases);
    expect(dashboard.complaints).toEqual([]);
  });

  it('keeps what the user types while the search is applied', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    // The next character comes between the change of the URL and the next rendering.
    await page.evaluate(`{
      const { replaceState } = history;
      history.replaceState = (...state) => {
        replaceState.apply(history, state);
        if (!location.search.endsWith('q=v2')) return;
        const field = document.querySelector('input[type=search]');
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'v2.3');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      };
    }`);
    await page.getByRole('searchbox').fill('v2');
    await page.waitForURL('**/releases?q=v2.3');
    expect(await page.getByRole('searchbox').inputValue()).toBe('v2.3');
  });

  it('also finds releases that are shipped', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('searchbox').fill('v1.4.0');
    await page.getByText('No active release matches these filters.').waitFor();
    const shipped = page.getByRole('region', { name: 'Shipped releases that match' });
    await shipped.getByRole('link', { name: 'payments v1.4.0' }).waitFor();
    await dashboard.expectSound(page);
    await shipped.getByRole('link', { name: 'Show all in the history' }).click();
    await page.waitForURL('**/history?q=v1.4.0');
  });

  it('keeps the place of shipped releases while they load, and says if they fail or none matches', async () => {
    dashboard.expectRejections(400);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const isFailing = (url: URL): boolean => url.pathname === '/api/history';
    let answer = (): void => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(isFailing, async (route) => {
      await mayAnswer;
      await route.fulfill({ status: 400, json: { error: 'This is a sentence of the service.' } });
    });
    await page.getByRole('searchbox').fill('v1.4.0');
    const shipped = page.getByRole('region', { name: 'Shipped releases that match' });
    await shipped.getByText('Loading').waitFor();
    answer();
    await shipped.getByRole('alert').getByText('This is a sentence of the service.').waitFor();
    await page.unroute(isFailing);
    await shipped.getByRole('button', { name: 'Try again' }).click();
    await shipped.getByRole('link', { name: 'payments v1.4.0' }).waitFor();
    await page.getByRole('searchbox').fill('nothing-has-this-name');
    await shipped.getByText('No shipped release matches.').waitFor();
    await dashboard.expectSound(page);
  });

  it('says that no release matches the filters, and offers to clear them', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('searchbox').fill('nothing-has-this-name');
    const none = page.getByText('No active release matches these filters.');
    await none.waitFor();
    let answer = (): void => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/outcome=blocked/, async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.getByRole('link', { name: /^Blocked/ }).click();
    // Nothing is said about filters whose result is not loaded.
    await none.waitFor({ state: 'detached' });
    answer();
    await none.waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('rowheader').count()).toBeGreaterThan(1);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the sentence of the service if the list fails, and tries again', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    await page.route('**/api/dashboard?*', (route) =>
      route.fulfill({
        status: 400,
        json: { error: 'This is a sentence of the service.' },
        headers: { 'x-request-id': 'r1' },
      }),
    );
    await page.getByRole('searchbox').fill('v0.9');
    const alert = page.getByRole('alert');
    await alert.getByText('This is a sentence of the service.').waitFor();
    expect(await alert.innerText()).toContain('Request r1');
    await page.unroute('**/api/dashboard?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expectRows(page, [{ repo: 'catalog', version: 'v0.9.0' }]);
    await alert.waitFor({ state: 'detached' });
  });

  it('tries again by itself at the time that the service names', async () => {
    dashboard.expectRejections(429);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    let rejections = 0;
    await page.route('**/api/dashboard?*', (route) => {
      rejections += 1;
      return rejections > 2
        ? route.continue()
        : route.fulfill({ status: 429, json: { error: 'Too many requests.' }, headers: { 'retry-after': '2' } });
    });
    const read = page.waitForResponse(
      (response) => response.url().includes('/api/dashboard?') && response.status() === 200,
    );
    await page.getByRole('searchbox').fill('v0.9');
    await page
      .getByRole('alert')
      .getByText(/^Shipgate tries again in [12] s\.$/)
      .waitFor();
    await read;
    expect(rejections).toBe(3);
    await expectRows(page, [{ repo: 'catalog', version: 'v0.9.0' }]);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says which reads failed above the list, and keeps the list', async () => {
    const page = await dashboard.openSignedIn('/w/acme/reviews');
    for (const path of ['**/api/freezes', '**/api/overrides?*'])
      await page.route(path, (route) => route.fulfill({ status: 400, json: { error: 'This is a sentence.' } }));
    dashboard.expectRejections(400);
    await page.goto(`${dashboard.url}/w/acme/releases`);
    await page.getByText('The freezes could not be loaded.').waitFor();
    await page.getByText('The overrides could not be loaded.').waitFor();
    await page.getByRole('table').waitFor();
    await page.unroute('**/api/freezes');
    await page.getByRole('alert').filter({ hasText: 'freezes' }).getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The freezes could not be loaded.').waitFor({ state: 'detached' });
  });

  it('names the column of each value on a phone, where the head is hidden', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360 });
    await page.getByRole('table').waitFor();
    const head = await page.evaluate<string[]>(
      '[...document.querySelectorAll("thead th")].map((th) => th.textContent)',
    );
    const contents = await page.evaluate<string[]>(
      `[...document.querySelectorAll('tbody tr:first-child td')].map((td) => getComputedStyle(td, '::before').content)`,
    );
    expect(contents).toHaveLength(head.length - 1);
    for (const [at, content] of contents.entries()) expect(content).toContain(head[at + 1]);
  });

  it('announces deployments that bypassed the gate lately, and leads to them', async () => {
    const { catalog } = dashboard.environment.repositories;
    const { developer } = dashboard.environment.accounts;
    const sha = catalog.commit({ files: { 'src/bypass.ts': 'export const bypass = 1;\n' }, author: developer });
    const deployment = catalog.deployments.create({ ref: sha, environment: 'production', creator: developer });
    catalog.deployments.setStatus(deployment, 'success');
    const user = await dashboard.signIn();
    await until('the deployment is recorded', async () => {
      const { pagination } = await user.get<{ readonly pagination: { readonly total: number } }>(
        '/api/history?kind=ungoverned&page=1',
      );
      return pagination.total === 1;
    });
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360 });
    const notice = page.getByRole('region', { name: 'Deployments that bypassed the gate' });
    await notice.getByText('1 deployment of the last 7 days bypassed the gate.').waitFor();
    await dashboard.expectSound(page);
    await notice.getByRole('link', { name: 'Show them in the history' }).click();
    await page.waitForURL(/\/history\?kind=ungoverned&from=\d{4}-\d\d-\d\d$/);
    await page.getByText('The deployment bypassed the gate.').waitFor();
  });

  it('keeps the list if the deployments that bypassed the gate cannot be read', async () => {
    dashboard.expectRejections(400);
    const page = await dashboard.openSignedIn('/w/acme/reviews');
    await page.route('**/api/history?*', (route) => route.fulfill({ status: 400, json: { error: 'Not now.' } }));
    await page.goto(`${dashboard.url}/w/acme/releases`);
    await page.getByText('The deployments that bypassed the gate could not be loaded.').waitFor();
    await page.getByRole('table').waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no accessibility finding in %s at %d px', async (colorScheme, width) => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width, colorScheme });
    await page.getByRole('table').waitFor();
    await dashboard.expectSound(page);
  });
}

/** The tabs with their counts, as they are shown. */
const readTabs = async (page: Page): Promise<readonly string[]> => {
  const tabs = await page.getByRole('navigation', { name: 'Outcome' }).getByRole('link').allInnerTexts();
  return tabs.map((tab) => tab.replaceAll(/\s+/g, ' ').trim());
};

const describeTabs = (counts: ReleaseList['counts']): readonly unknown[] =>
  TABS.map((name, at) => expect.stringContaining(`${name} ${counts[OUTCOMES[at] ?? 'all']}`));

/** Waits until the list shows these releases, in any order, and no other. */
async function expectRows(
  page: Page,
  releases: readonly Pick<ReleaseList['releases'][number], 'repo' | 'version'>[],
): Promise<void> {
  for (const { repo, version } of releases) {
    await page
      .getByRole('rowheader')
      .getByRole('link', { name: `${repo} ${version}`, exact: true })
      .waitFor();
  }
  await page.getByRole('rowheader').nth(releases.length).waitFor({ state: 'detached' });
}
