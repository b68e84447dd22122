import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { MAX_SHIFT, WATCH_SHIFTS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';

/** The code of screens that no other screen needs. */
const CODE_OF_FREEZES = /\/assets\/freezes\.screen-/;
const CODE_OF_A_RELEASE = /\/assets\/release\.screen-/;
/** A slow mobile network. */
const SLOW = { offline: false, latency: 300, downloadThroughput: 60_000, uploadThroughput: 30_000 };

interface Projects {
  readonly projects: readonly { readonly name: string }[];
}

/** A service that was upgraded since the page was loaded, and a network that is slow or loses requests. */
export function testNetwork(dashboard: DashboardUnderTest): void {
  const openReleases = async (): Promise<Page> => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.getByRole('table').waitFor();
    await page.evaluate('window.isFirstLoad = true');
    return page;
  };
  const isFirstLoad = (page: Page): Promise<boolean> => page.evaluate('window.isFirstLoad === true');
  const projectNames = async (): Promise<readonly string[]> =>
    (await (await dashboard.signIn()).get<Projects>('/api/projects?page=1')).projects.map(({ name }) => name);

  it('loads the new version when an open page needs a file that an upgrade has removed', async () => {
    dashboard.expectRejections(404);
    const page = await openReleases();
    await page.route(CODE_OF_A_RELEASE, async (route) =>
      (await isFirstLoad(page)) ? route.fulfill({ status: 404, json: { error: 'File not found.' } }) : route.continue(),
    );
    // The page asks for the start page only to compare the versions.
    await page.route(`${dashboard.url}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/assets/index-new.js"></script>' }),
    );
    const link = page.getByRole('link', { name: 'catalog v0.9.0' });
    const missing = page.waitForResponse(CODE_OF_A_RELEASE);
    await link.hover();
    await missing;
    // The pointer alone never reloads the page.
    expect(await isFirstLoad(page)).toBe(true);
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'catalog v0.9.0' }).waitFor();
    expect(await isFirstLoad(page)).toBe(false);
    expect(page.url()).toContain('/w/acme/releases/');
  });

  it('does not reload while the network is down, and offers a reload', async () => {
    const page = await openReleases();
    await page.route(CODE_OF_FREEZES, (route) => route.abort());
    await page.route(`${dashboard.url}/`, (route) => route.abort());
    await page.getByRole('link', { name: 'Freezes', exact: true }).click();
    await page.getByText('Its code could not be loaded. Check the network, then reload the page.').waitFor();
    expect(await isFirstLoad(page)).toBe(true);
    await page.unroute(CODE_OF_FREEZES);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Freezes' }).waitFor();
  });

  it('shows each screen although the network loses every request once', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes', { width: 1280 });
    const lost = new Set<string>();
    await page.route(/\/api\/(?!events)|\/assets\/.*screen-/, (route) => {
      const url = route.request().url();
      if (lost.has(url)) return route.continue();
      lost.add(url);
      return route.abort();
    });
    for (const [address, part] of [
      ['/w/acme/releases', 'catalog v0.9.0'],
      ['/w/acme/repositories', 'payments'],
      ['/w/acme/r/payments/v1.4.0', 'Shipped'],
    ] as const) {
      await page.goto(dashboard.url + address);
      await page.getByText(part).first().waitFor();
    }
    expect(lost.size).toBeGreaterThan(6);
  });

  it('keeps the input when a request or its response is lost, and does nothing twice', async () => {
    dashboard.expectRejections(409);
    const name = 'Lost and found';
    const page = await dashboard.openSignedIn('/w/acme/projects', { width: 360, colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Create a project' }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Name', { exact: true });
    await field.fill(name);
    let sent = 0;
    await page.route('**/api/projects', async (route) => {
      sent += 1;
      // The first request does not reach the service. The answer to the second one does not reach the page.
      if (sent === 2) await route.fetch();
      await (sent < 3 ? route.abort() : route.continue());
    });
    for (const attempt of [1, 2]) {
      await dialog.getByRole('button', { name: 'Create a project' }).click();
      await dialog.getByText('Shipgate cannot be reached. Try again.').waitFor();
      expect([sent, await field.inputValue()]).toEqual([attempt, name]);
    }
    await dialog.getByRole('button', { name: 'Create a project' }).click();
    await dialog.getByText(/has this name|already/).waitFor();
    expect((await projectNames()).filter((one) => one === name)).toEqual([name]);
  });

  it('shows the response to the last search, even if an earlier response arrives later', async () => {
    const page = await openReleases();
    let answer = (): void => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/dashboard\?.*search=check$/, async (route) => {
      await mayAnswer;
      // The page has cancelled this request.
      await route.continue().catch(() => undefined);
    });
    const earlier = page.waitForRequest(/search=check$/);
    await page.getByRole('searchbox').fill('check');
    await earlier;
    await page.getByRole('searchbox').fill('v0.9.0');
    await page.getByRole('rowheader', { name: 'catalog v0.9.0' }).waitFor();
    await page.getByRole('rowheader').nth(1).waitFor({ state: 'detached' });
    answer();
    await page.waitForTimeout(1_000);
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([expect.stringContaining('catalog v0.9.0')]);
  });

  it('keeps the positions of rows that load slowly', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', SLOW);
    await page.addInitScript(WATCH_SHIFTS);
    const placeholder = page.locator('[aria-busy=true]').first();
    await page.route(/\/api\/dashboard/, async (route) => {
      await placeholder.waitFor();
      await route.continue();
    });
    await page.reload();
    await page.getByRole('rowheader', { name: 'catalog v0.9.0' }).waitFor();
    expect(await page.evaluate<number>('window.layoutShift')).toBeLessThanOrEqual(MAX_SHIFT);
  });

  it('misses no change while the network is down', async () => {
    const { catalog } = dashboard.environment.repositories;
    const page = await openReleases();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    const milestone = catalog.milestones.create({ title: 'v5.9.0' });
    await page.getByRole('button', { name: 'New release' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('rowheader', { name: 'catalog v5.9.0' }).waitFor();
    catalog.milestones.delete(milestone);
    await page.getByRole('rowheader', { name: 'catalog v5.9.0' }).waitFor({ state: 'detached' });
  });
}
