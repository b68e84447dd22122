import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { createHotfix, findRelease, waitForNotice } from './own-release.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const FAILING = /fails: 1 of 2 tests failed/;

interface Condition {
  readonly code: string;
  readonly detail: string;
  readonly override: string;
}

interface Details {
  readonly release: { readonly candidateSha: string; readonly outcome: string; readonly stage: string };
  readonly reasons: Condition[];
  readonly overrides: readonly { readonly kind: string }[];
}

/** The waivers and break-glass requests of a release. */
export function testOverrides(dashboard: DashboardUnderTest): void {
  const read = async (id: string): Promise<Details> =>
    (await dashboard.signIn()).get<Details>(`/api/milestones/${id}?look=stored`);

  const open = async (id: string, options = {}): Promise<Page> => {
    const page = await dashboard.openSignedIn(`/w/acme/releases/${id}/overrides`, options);
    await page.getByRole('heading', { name: 'Break-glass' }).waitFor();
    return page;
  };

  /** The only override of the release. */
  const entryOf = (page: Page): Locator =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Withdraw…' }) });

  it('lets two admins waive a condition, and withdraw the waiver', async () => {
    const id = await createHotfix(dashboard, 'v2.0.1', ['junit-red.xml']);
    const first = await open(id, { width: 1280 });
    await first.getByRole('button', { name: 'Request a waiver' }).click();
    const form = first.getByRole('dialog');
    await form.getByText('Evidence fails').waitFor();
    await form.getByText(FAILING).waitFor();
    const confirm = form.getByRole('button', { name: 'Request the waiver' });
    expect(await confirm.isDisabled()).toBe(true);
    await form.getByLabel('Reason').fill(HOSTILE);
    await form.getByLabel('End', { exact: true }).selectOption('In 7 days');
    await dashboard.expectSound(first);
    await confirm.click();
    await waitForNotice(first, 'The waiver is requested.');
    await form.waitFor({ state: 'detached' });
    const waiting = entryOf(first);
    await waiting.getByText(HOSTILE, { exact: true }).waitFor();
    await waiting.getByText('Waits for a second admin').waitFor();
    expect(await waiting.getByRole('button', { name: 'Confirm…' }).isDisabled()).toBe(true);
    await waiting.getByText('You requested it yourself. Another admin must confirm it.').waitFor();
    await dashboard.expectSound(first);

    const login = dashboard.environment.accounts.releaseManager.login;
    const second = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark', login });
    const bar = second.getByRole('region', { name: 'Overrides that wait for you' });
    await bar.getByText('1 override waits for a second admin. You can confirm it.').waitFor();
    expect(await bar.innerText()).toContain(HOSTILE);
    await dashboard.expectSound(second);
    await bar.getByRole('link', { name: 'Waiver for checkout v2.0.1' }).click();
    await dashboard.expectLanded(second, entryOf(second));
    await second.getByRole('button', { name: 'Confirm…' }).click();
    const confirmation = second.getByRole('dialog');
    const { release } = await read(id);
    for (const message of [FAILING, HOSTILE, release.candidateSha.slice(0, 7), 'by acme-owner'])
      await confirmation.getByText(message).first().waitFor();
    await dashboard.expectSound(second);
    await confirmation.getByRole('button', { name: 'Confirm the waiver' }).click();
    await waitForNotice(second, 'The waiver is in force.');
    await entryOf(second).getByText('In force', { exact: true }).waitFor();
    expect((await read(id)).overrides).toEqual([expect.objectContaining({ kind: 'waiver' })]);
    expect((await read(id)).reasons.map(({ code }) => code)).not.toContain('evidence_failing');
    await waiting.getByText('In force', { exact: true }).waitFor();

    await waiting.getByRole('button', { name: 'Withdraw…' }).click();
    await first.getByText('These conditions block the release again at once:').waitFor();
    await first.getByRole('dialog').getByText(FAILING).first().waitFor();
    await first.getByRole('button', { name: 'Withdraw the waiver' }).click();
    await first.getByText('This release has no waiver and no request for one.').waitFor();
    expect((await read(id)).reasons.map(({ code }) => code)).toContain('evidence_failing');
    await first.locator('h2:focus', { hasText: 'Waivers' }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('opens the gate in an emergency, after two admins have typed the version', async () => {
    const id = await createHotfix(dashboard, 'v2.0.2', ['junit-red.xml']);
    const first = await open(id);
    const { reasons } = await read(id);
    await first.getByRole('button', { name: 'Request break-glass…' }).click();
    const form = first.getByRole('dialog');
    for (const { detail, override } of reasons) if (override !== 'none') await form.getByText(detail).first().waitFor();
    expect(await form.getByText('It cannot set these conditions aside').count()).toBe(0);
    const request = form.getByRole('button', { name: 'Request break-glass' });
    await form.getByLabel('Reason').fill('Payments are down');
    for (const wrong of ['', 'v2.0.1', '2.0.2', 'v2.0.2 ']) {
      await form.getByLabel('Type v2.0.2 to confirm').fill(wrong);
      expect(await request.isDisabled()).toBe(true);
    }
    await form.getByLabel('Type v2.0.2 to confirm').fill('v2.0.2');
    await dashboard.expectSound(first);
    await request.click();
    await waitForNotice(first, 'Break-glass is requested.');

    const login = dashboard.environment.accounts.releaseManager.login;
    const second = await open(id, { login, width: 360, colorScheme: 'dark' });
    await second.getByRole('button', { name: 'Confirm…' }).click();
    const confirmation = second.getByRole('dialog');
    const confirm = confirmation.getByRole('button', { name: 'Open the gate for this commit' });
    await confirmation.getByText('Payments are down').waitFor();
    for (const { detail, override } of reasons)
      if (override !== 'none') await confirmation.getByText(detail).first().waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await confirmation.getByLabel('Type v2.0.2 to confirm').fill('v2.0.2');
    await dashboard.expectSound(second);
    await confirm.click();
    await waitForNotice(second, 'Break-glass is confirmed.');
    const { release } = await read(id);
    expect(release.outcome).toBe('ready_to_deploy');
    await first.getByText(`Ready to deploy ${release.candidateSha.slice(0, 7)}`).waitFor();
    await entryOf(first).getByText('In force', { exact: true }).waitFor();

    await entryOf(second).getByRole('button', { name: 'Withdraw…' }).click();
    await confirmation.getByRole('button', { name: 'Withdraw break-glass' }).click();
    await second.getByText('This release has no request for break-glass.').waitFor();
    expect((await read(id)).release.outcome).not.toBe('ready_to_deploy');
    expect(dashboard.complaints).toEqual([]);
  });

  it('names the conditions that break-glass cannot set aside', async () => {
    const id = await createHotfix(dashboard, 'v2.0.3', ['junit-red.xml']);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route(/\/api\/milestones\/[^/]+\?look=/, async (route) => {
      const response = await route.fetch();
      const details = (await response.json()) as Details;
      const [reason] = details.reasons;
      if (reason) details.reasons.push({ ...reason, code: 'tampered', detail: HOSTILE, override: 'none' });
      await route.fulfill({ response, json: details });
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/overrides`);
    await page.getByRole('button', { name: 'Request break-glass…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It cannot set these conditions aside').waitFor();
    await dialog.getByText(HOSTILE, { exact: true }).waitFor();
    await dialog.getByText('While one of these conditions is unmet, break-glass does not open the gate.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('keeps the input if the service refuses a waiver', async () => {
    const id = await findRelease(dashboard, 'catalog', 'v0.9.0');
    const page = await open(id);
    const opener = page.getByRole('button', { name: 'Request a waiver' });
    await opener.click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Reason').fill('Verified by hand');
    await form.getByLabel('End', { exact: true }).selectOption('At a time of my choice');
    await form.getByLabel('Date and time').fill('2100-01-01T00:00');
    await form.getByRole('button', { name: 'Request the waiver' }).click();
    await form.getByRole('alert').getByText('expiresAt must be within the next 7 days.').waitFor();
    expect(await form.getByLabel('Reason').inputValue()).toBe('Verified by hand');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe(await opener.innerText());
    await page.getByText('This release has no waiver and no request for one.').waitFor();

    await page.route('**/waivers', (route) => route.fulfill({ status: 400, json: { error: 'This is a sentence.' } }));
    await page.keyboard.press('r');
    await page.getByText('This could not be refreshed.').waitFor();
    await page.locator('[inert] button', { hasText: 'Request a waiver' }).waitFor();
  });

  it('shows a member everything, and every button disabled with the reason', async () => {
    const id = await createHotfix(dashboard, 'v2.0.4', ['junit-red.xml']);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await (
      await dashboard.signIn()
    ).post(`/api/milestones/${id}/waivers`, {
      condition: 'evidence_failing',
      reason: 'Verified by hand',
      expiresAt,
    });
    const page = await open(id, { login: dashboard.environment.accounts.developer.login });
    await page.getByText('Verified by hand').waitFor();
    for (const name of ['Request a waiver', 'Request break-glass…', 'Confirm…', 'Withdraw…']) {
      expect(await page.getByRole('button', { name, disabled: true }).isVisible()).toBe(true);
    }
    expect(await page.getByText('Only an admin of the workspace can do this.').count()).toBeGreaterThanOrEqual(3);
    await dashboard.expectSound(page);
  });
}
