import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { until, waitForNotice } from './own-release.js';

const DAY_MS = 86_400_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const READY = 'checkout v2.2.1';

const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Whether a pointer can reach the element after it was scrolled into view. */
const isReachable = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
  });

/** The number of lines on which the browser shows a word of an element. */
const countLines = (target: Locator, part: string): Promise<number> =>
  target.evaluate((element, text) => {
    const { ownerDocument: document, firstChild: node } = element;
    const start = node?.textContent?.indexOf(text) ?? -1;
    if (!node || start === -1) throw new Error(`The element does not contain "${text}".`);
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, start + text.length);
    return range.getClientRects().length;
  }, part);

interface Freezes {
  readonly freezes: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
}

/** The freezes of the workspace, and their bar above the list of releases. */
export function testFreezes(dashboard: DashboardUnderTest): void {
  const list = async (): Promise<Freezes['freezes']> =>
    (await (await dashboard.signIn()).get<Freezes>('/api/freezes')).freezes;

  const fill = async (page: Page, from: number, to: number, reason: string): Promise<void> => {
    await page.getByRole('button', { name: 'New freeze' }).click();
    await page.getByLabel('First day').fill(dayIn(from));
    await page.getByLabel('Last day').fill(dayIn(to));
    await page.getByLabel('Reason').fill(reason);
  };

  const create = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Create the freeze' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  const lift = async (page: Page): Promise<void> => {
    await page
      .getByRole('button', { name: /^Delete the freeze/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the freeze' }).click();
    await waitForNotice(page, 'The freeze is deleted.');
  };

  const countReady = async (): Promise<number> => {
    const user = await dashboard.signIn();
    const { counts } = await user.get<{ counts: { ready_to_deploy: number } }>('/api/dashboard');
    return counts.ready_to_deploy;
  };

  it('names the gates that a freeze closes, closes them for every open tab, and opens them after the end', async () => {
    await until('a release is ready', async () => (await countReady()) > 0);
    const page = await dashboard.openSignedIn('/w/acme/freezes');
    await page.getByText('There is no current or future freeze.').waitFor();
    const other = await dashboard.openSignedIn('/w/acme/releases', {
      login: dashboard.environment.accounts.developer.login,
    });
    const row = other.getByRole('row').filter({ hasText: READY });
    await row.getByText('Ready to deploy', { exact: true }).waitFor();

    await fill(page, 0, 1, HOSTILE);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^It closes ${await countReady()} open gates? at once`)).waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toContain(READY);
    await dashboard.expectSound(page);
    await create(page);
    await waitForNotice(page, 'The freeze is created.');
    expect(await list()).toEqual([expect.objectContaining({ from: dayIn(0), to: dayIn(1), reason: HOSTILE })]);
    const entry = page.getByRole('row').filter({ hasText: HOSTILE });
    await entry.getByText('In effect').waitFor();
    await row.getByText('Blocked', { exact: true }).waitFor();
    const bar = other.getByRole('region', { name: 'Freezes' });
    await bar.getByText('A freeze is in effect:').waitFor();
    expect(await bar.innerText()).toContain(HOSTILE);

    await lift(page);
    await page.getByText('There is no current or future freeze.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await entry.getByText('In effect').waitFor();
    await lift(page);
    await row.getByText('Ready to deploy', { exact: true }).waitFor();
    await bar.waitFor({ state: 'detached' });
    expect(await list()).toEqual([]);
    expect(dashboard.complaints).toEqual([]);
  });

  it('announces a freeze of the next days, and lets members only read it', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes', { width: 360, colorScheme: 'dark' });
    await fill(page, 3, 5, 'Decommissioning of servers');
    await page.getByText('It closes no gate now.').waitFor();
    await dashboard.expectSound(page);
    await create(page);
    // The notice at the lower edge covers neither the content nor a dialog.
    await waitForNotice(page, 'The freeze is created.');
    expect(await isReachable(page.getByRole('button', { name: /^Delete the freeze/ }))).toBe(true);
    await page.setViewportSize({ width: 768, height: 800 });
    expect(await countLines(page.getByRole('cell', { name: 'Decommissioning of servers' }), 'Decommissioning')).toBe(1);
    await page.setViewportSize({ width: 360, height: 800 });
    await fill(page, 40, 41, 'Year end');
    expect(await isReachable(page.getByRole('button', { name: 'Create the freeze' }))).toBe(true);
    await waitForNotice(page, 'The freeze is created.');
    await create(page);
    await page.getByText('Starts in 40 days').waitFor();
    await dashboard.expectSound(page);

    const login = dashboard.environment.accounts.developer.login;
    const member = await dashboard.openSignedIn('/w/acme/releases', { width: 1280, login });
    const bar = member.getByRole('region', { name: 'Freezes' });
    await bar.getByText('A freeze starts in 3 days:').waitFor();
    expect(await bar.innerText()).not.toContain('Year end');
    await dashboard.expectSound(member);
    await bar.getByRole('link', { name: 'All freezes' }).click();
    await member.getByRole('heading', { level: 1, name: 'Freezes' }).waitFor();
    await member
      .getByRole('rowheader', { name: /In your time zone/ })
      .nth(1)
      .waitFor();
    expect(await member.getByRole('button', { name: 'New freeze', disabled: true }).isVisible()).toBe(true);
    await member.getByText('Only an admin of the workspace can do this.').waitFor();
    expect(await member.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    await dashboard.expectSound(member);

    await lift(page);
    await page.getByText('Decommissioning of servers').waitFor({ state: 'detached' });
    await lift(page);
    await page.getByText('There is no current or future freeze.').waitFor();
  });

  it('keeps the input if the service refuses the freeze', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes');
    await page.route('**/api/freezes', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { error: 'This is a sentence of the service.' } })
        : route.continue(),
    );
    await fill(page, 1, 1, 'Too many');
    await page.getByRole('button', { name: 'Create the freeze' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('This is a sentence of the service.').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('Too many');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await list()).toEqual([]);
  });
}
