import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Ci, nextRunId } from '../../demo/ci.js';
import { WATCH_SHIFTS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { createHotfix, DEMO_REPORTS, findRelease, until, untilLoaded } from './own-release.js';

const STREAM = /\/api\/events\?/;
/** Longer than the time between two reads of a query. */
const QUIET_MS = 2_500;
/** Less than the time between two reads of a screen that is not live, so only an event explains a read. */
const BEFORE_POLL_MS = 45_000;
const SOON_MS = 1_500;
const DAY_MS = 86_400_000;

/** Waits for the second response from now on. It counts from the call, so it misses none that comes soon after the first. */
const waitForSecond = async (page: Page, matches: (url: URL) => boolean): Promise<void> => {
  let count = 0;
  await page.waitForResponse((response) => matches(new URL(response.url())) && (count += 1) === 2, {
    timeout: BEFORE_POLL_MS,
  });
};

/** Live updates: one stream per browser, and pages that follow it. */
export function testLive(dashboard: DashboardUnderTest): void {
  const addTab = async (first: Page): Promise<Page> => {
    const tab = await first.context().newPage();
    await tab.goto(first.url());
    await tab.getByRole('table').waitFor();
    return tab;
  };

  const isLive = async (page: Page): Promise<void> => {
    await page.getByText('Live', { exact: true }).waitFor();
  };

  it('shows a new release in three tabs through one stream, which another tab takes over', async () => {
    const { catalog } = dashboard.environment.repositories;
    const streams: string[] = [];
    const first = await dashboard.openSignedIn('/w/acme/releases');
    await isLive(first);
    first.context().on('request', (request) => {
      if (STREAM.test(request.url())) streams.push(request.url());
    });
    const others = [await addTab(first), await addTab(first)];
    for (const tab of others) await isLive(tab);
    expect(streams).toEqual([]);

    catalog.milestones.create({ title: 'v5.0.0' });
    for (const tab of [first, ...others]) await tab.getByRole('rowheader', { name: 'catalog v5.0.0' }).waitFor();

    await first.close();
    catalog.milestones.create({ title: 'v5.1.0' });
    for (const tab of others) await tab.getByRole('rowheader', { name: 'catalog v5.1.0' }).waitFor();
    expect(streams).toEqual([expect.stringMatching(/\/api\/events\?workspace=acme&after=\d+$/)]);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows an upload and a review in three tabs', async () => {
    const { repositories, issuer, service, accounts } = dashboard.environment;
    const { checkout } = repositories;
    const version = 'v7.0.0';
    await createHotfix(dashboard, version, ['junit-red.xml']);
    const first = await dashboard.openSignedIn('/w/acme/releases');
    const tabs = [first, await addTab(first), await addTab(first)];
    for (const tab of tabs) await isLive(tab);
    const haveRow = async (text: string): Promise<void> => {
      for (const tab of tabs) {
        await tab
          .getByRole('row', { name: `checkout ${version}` })
          .filter({ hasText: text })
          .waitFor();
      }
    };
    await haveRow('fails');

    const sha = checkout.git.branchHead(`hotfix/${version}`) ?? '';
    const settings = { serviceUrl: service.url, issuer, reports: DEMO_REPORTS };
    const ci = new Ci(settings, checkout, { sha, runId: nextRunId() });
    expect(await ci.upload(version, 'test', ['junit.xml'])).toBe(201);
    await haveRow('Needs approval');

    const branch = `shipgate/evidence/${version}`;
    const findPull = () =>
      checkout.pulls.list().find(({ headRef, issue }) => headRef === branch && issue.state === 'open');
    await until('the evidence pull request is open', async () => findPull() !== undefined);
    const pull = findPull();
    if (!pull) throw new Error('The evidence pull request was closed.');
    checkout.pulls.reviews.submit(pull, { by: accounts.releaseManager, state: 'APPROVED' });
    await haveRow('Ready to deploy');
    expect(dashboard.complaints).toEqual([]);
  });

  it('never shows a row of another outcome in a filtered list', async () => {
    const { catalog } = dashboard.environment.repositories;
    const page = await dashboard.openSignedIn('/w/acme/releases?outcome=blocked');
    await page.getByRole('table').waitFor();
    await isLive(page);
    const tab = page.getByRole('navigation', { name: 'Outcome' }).getByRole('link', { name: /^In progress/ });
    const before = await tab.innerText();
    const rows = await page.getByRole('rowheader').allInnerTexts();
    catalog.milestones.create({ title: 'v5.2.0' });
    // The counts of the same response show that the page has it.
    await until('the tabs count the new release', async () => (await tab.innerText()) !== before);
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(rows);
    expect(rows).toContainEqual(expect.stringContaining('catalog v0.9.0'));
  });

  it('shifts at most a twentieth of the window when new rows come and the list is not in use', async () => {
    const { catalog } = dashboard.environment.repositories;
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    await isLive(page);
    // Shifts within half a second of an action do not count.
    await page.waitForTimeout(SOON_MS);
    await page.evaluate(WATCH_SHIFTS);
    const before = await page.evaluate<number>('layoutShift');
    for (const version of ['v5.5.0', 'v5.6.0', 'v5.7.0']) {
      catalog.milestones.create({ title: version });
      await page.getByRole('rowheader', { name: `catalog ${version}` }).waitFor();
    }
    await page.waitForTimeout(SOON_MS);
    expect((await page.evaluate<number>('layoutShift')) - before).toBeLessThanOrEqual(0.05);
  });

  it('moves no row for some seconds after a touch', async () => {
    const { catalog } = dashboard.environment.repositories;
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360 });
    await page.getByRole('table').waitFor();
    await isLive(page);
    const before = await page.getByRole('rowheader').allInnerTexts();
    for (const type of ['pointerover', 'pointerout'])
      await page.getByRole('table').dispatchEvent(type, { pointerType: 'touch', bubbles: true });
    catalog.milestones.create({ title: 'v5.8.0' });
    const show = page.getByRole('button', { name: /changed. Show the new list$/ });
    await show.waitFor();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(before);
    await show.press('Enter');
    await page.getByRole('rowheader', { name: 'catalog v5.8.0' }).waitFor();
  });

  it.each([
    ['the pointer', 'v5.3.0', (page: Page) => page.getByRole('table').hover()],
    ['the focus', 'v5.4.0', (page: Page) => page.keyboard.press('j')],
  ] as const)('moves no row while %s is in the list', async (_, version, enter) => {
    const { catalog } = dashboard.environment.repositories;
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    await isLive(page);
    await enter(page);
    const focused = await page.evaluate<string>('document.activeElement.closest("a, button")?.textContent ?? ""');
    const before = await page.getByRole('rowheader').allInnerTexts();
    catalog.milestones.create({ title: version });
    const show = page.getByRole('button', { name: /changed. Show the new list$/ });
    await show.waitFor();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(before);
    expect(await page.evaluate<string>('document.activeElement.closest("a, button")?.textContent ?? ""')).toBe(focused);
    await show.press('Enter');
    await page.getByRole('rowheader', { name: `catalog ${version}` }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('says that it is not live if the stream is rejected, and live again after the recovery', async () => {
    const guest = await dashboard.open('/sign-in?returnTo=/w/acme/releases');
    let rejections = 0;
    await guest.page.route(STREAM, (route) => {
      rejections += 1;
      return route.fulfill({ status: 503, json: { error: 'The service is busy.' } });
    });
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await guest.page.getByText('Not live').waitFor();
    expect(rejections).toBe(1);
    await guest.page.unroute(STREAM);
    await isLive(guest.page);
  });

  it('reads the screen once, and again if a change came before the stream began', async () => {
    const guest = await dashboard.open('/sign-in?returnTo=/w/acme/projects');
    let reads = 0;
    let begin = (): void => undefined;
    const mayBegin = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await guest.page.route(STREAM, async (route) => {
      await mayBegin;
      await route.continue();
    });
    guest.page.on('request', (request) => (reads += /\/api\/projects\?/.test(request.url()) ? 1 : 0));
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await guest.page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await untilLoaded(guest.page);
    await (await dashboard.signIn()).post('/api/projects', { name: 'Before the stream' });
    await guest.page.waitForTimeout(QUIET_MS);
    expect(reads).toBe(1);
    begin();
    await guest.page.getByRole('link', { name: 'Before the stream' }).waitFor();

    await isLive(guest.page);
    await guest.page.waitForTimeout(QUIET_MS);
    reads = 0;
    await guest.page.reload();
    await isLive(guest.page);
    await guest.page.waitForTimeout(QUIET_MS);
    expect(reads).toBe(1);
  });

  it('opens another stream when the former one falls silent', async () => {
    const guest = await dashboard.open('/sign-in?returnTo=/w/acme/releases');
    const streams: string[] = [];
    guest.page.on('request', (request) => {
      if (STREAM.test(request.url())) streams.push(request.url());
    });
    await guest.page.clock.install();
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await guest.page.getByRole('table').waitFor();
    await isLive(guest.page);
    await guest.page.clock.fastForward(38_000);
    await guest.page.getByText('Not live').waitFor();
    expect(streams).toHaveLength(1);
    await guest.page.clock.fastForward(6_000);
    await isLive(guest.page);
    expect(streams).toHaveLength(2);
    expect(dashboard.complaints).toEqual([]);
  });

  it('reads the list at most three times when 30 events come within three seconds', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    const release = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
    const [type, milestoneId] = ['release.updated', release?.split('/').at(-1)];
    const events = Array.from({ length: 30 }, (_, index) => {
      const id = String(1_000_000 + index);
      const data = { id, type, org: 'acme', repo: 'checkout', milestoneId, at: new Date().toISOString() };
      return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
    });
    const body = `retry: 60000\n\n${events.join('')}`;
    await page.route(STREAM, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await page.reload();
    await page.getByRole('table').waitFor();
    let reads = 0;
    page.on('request', (request) => (reads += request.url().includes('/api/dashboard?') ? 1 : 0));
    await page.waitForTimeout(3_000);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(3);
  });

  /** Answers the next stream with one event, and then with none. */
  const sendEvent = async (page: Page, event: Readonly<Record<string, string>>): Promise<void> => {
    const data = { id: '1000000', org: 'acme', at: new Date().toISOString(), ...event };
    const body = `retry: 60000\n\nid: ${data.id}\nevent: ${event['type']}\ndata: ${JSON.stringify(data)}\n\n`;
    await page.route(STREAM, (route) => route.fulfill({ contentType: 'text/event-stream', body }), { times: 1 });
  };

  it.each([
    ['/reviews', { type: 'release.updated' }, '/api/reviews/pending'],
    ['/releases', { type: 'review.updated' }, '/api/dashboard'],
    ['/releases', { type: 'evidence.received' }, '/api/dashboard'],
    ['/projects', { type: 'workspace.updated', what: 'freezes' }, '/api/projects'],
    ['/settings/personal-keys', { type: 'workspace.updated', what: 'members' }, '/api/settings/mcp-keys'],
    ['/settings/audit', { type: 'release.updated' }, '/api/audit'],
  ] as const)('reads %s again after %j', async (path, event, request) => {
    const guest = await dashboard.open(`/sign-in?returnTo=/w/acme${path}`);
    await sendEvent(guest.page, event);
    const second = waitForSecond(guest.page, ({ pathname }) => pathname === request);
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await second;
  });

  it('removes an approved release from the reviews within five seconds', async () => {
    const { repositories, accounts } = dashboard.environment;
    const version = 'v7.1.0';
    const id = await createHotfix(dashboard, version, ['junit.xml']);
    const page = await dashboard.openSignedIn('/w/acme/reviews?scope=workspace');
    await isLive(page);
    const row = page.getByRole('row', { name: `checkout ${version}` });
    await row.waitFor();
    const pull = repositories.checkout.pulls
      .list()
      .find(({ headRef, issue }) => headRef === `shipgate/evidence/${version}` && issue.state === 'open');
    if (!pull) throw new Error('There is no evidence pull request.');
    repositories.checkout.pulls.reviews.submit(pull, { by: accounts.releaseManager, state: 'APPROVED' });
    const user = await dashboard.signIn();
    await until('the release no longer waits for approvals', async () => {
      const { reviews } = await user.get<{ readonly reviews: readonly { readonly milestoneId: string }[] }>(
        '/api/reviews/pending?scope=workspace&page=1&pageSize=50',
      );
      return reviews.every(({ milestoneId }) => milestoneId !== id);
    });
    await row.waitFor({ state: 'detached', timeout: BEFORE_POLL_MS });
  });

  it('repeats a read that began before a change as soon as it ends', async () => {
    const user = await dashboard.signIn();
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await isLive(page);
    const id = await findRelease(dashboard, 'catalog', 'v0.9.0');
    // The answers of the service before the change arrive after its event.
    const slow = (url: URL): boolean => url.pathname === `/api/milestones/${id}` && url.search === '?look=stored';
    let [begin, finish] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await page.route(
      slow,
      async (route) => {
        const response = await route.fetch();
        begin();
        await finished;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: 'catalog v0.9.0' }).click();
    await begun;
    const day = new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 10);
    await user.post('/api/freezes', { from: day, to: day, reason: 'A change during a read' });
    // The event has come meanwhile.
    await page.waitForTimeout(SOON_MS);
    const second = waitForSecond(page, slow);
    finish();
    await second;
  });

  it('reads the list every minute while it is not live', async () => {
    const guest = await dashboard.open('/sign-in?returnTo=/w/acme/releases');
    await guest.page.route(STREAM, (route) => route.fulfill({ status: 503, json: { error: 'The service is busy.' } }));
    await guest.page.clock.install();
    await guest.signInAs(dashboard.environment.accounts.owner.login);
    await guest.page.getByText('Not live').waitFor();
    await guest.page.getByRole('table').waitFor();
    const read = guest.page.waitForResponse(/\/api\/dashboard\?/);
    await guest.page.clock.fastForward('01:01');
    // 304 if the list is the same as before.
    expect([200, 304]).toContain((await read).status());
  });

  it('makes the other tabs inert when one signs out or selects another workspace', async () => {
    const first = await dashboard.openSignedIn('/w/acme/releases');
    await first.getByRole('table').waitFor();
    const second = await addTab(first);
    await second.getByRole('button', { name: /^Account of/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await first.getByText('Your session has ended.').waitFor();
    expect(await first.locator('main').evaluate((main) => main.closest('[inert]') !== null)).toBe(true);
  });
}
