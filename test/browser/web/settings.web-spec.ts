import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

interface AuditLog {
  readonly entries: readonly { readonly sequence: number; readonly action: string; readonly subject: string }[];
}

interface Billing {
  readonly plan: string;
  readonly request: { readonly status: string } | null;
}

/** Plan, decisions on plans, sync, audit log and diagnostics. */
export function testSettings(dashboard: DashboardUnderTest): void {
  const billing = async (): Promise<Billing> => (await dashboard.signIn()).get<Billing>('/api/billing');

  it('requests the pro plan, withdraws the request, and shows why a request was rejected', async () => {
    const page = await dashboard.openSignedIn('/w/acme/settings/billing', { width: 360, colorScheme: 'dark' });
    await page.getByText('3 of 3').waitFor();
    const dialog = page.getByRole('dialog');
    const request = async (note: string): Promise<void> => {
      await page.getByRole('button', { name: 'Request the pro plan' }).click();
      await dialog.getByLabel(/^Note/).fill(note);
      await dialog.getByRole('button', { name: 'Request the pro plan' }).click();
      await page.getByText(note).waitFor();
    };
    await request('Order 4711');
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: 'Withdraw the request' }).click();
    await dialog.getByRole('button', { name: 'Withdraw the request' }).click();
    await page.getByText('Order 4711').waitFor({ state: 'detached' });
    await request('Order 4712');

    const platform = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await platform.getByRole('button', { name: 'Account of acme-owner' }).click();
    await platform.getByRole('menuitem', { name: 'Platform' }).click();
    await platform.getByRole('row', { name: /^acme.*Order 4712/ }).waitFor();
    await platform.getByLabel('Status').selectOption('open');
    await platform.waitForURL('**/platform/upgrade-requests?status=open');
    await platform.getByRole('button', { name: 'Reject acme' }).click();
    const decision = platform.getByRole('dialog', { name: 'Reject the request of acme' });
    await decision.getByLabel('Reason').fill('The order is unknown.');
    await dashboard.expectSound(platform);
    await decision.getByRole('button', { name: 'Reject the request of acme' }).click();
    await platform.getByText('No upgrade request has this status.').waitFor();
    await dashboard.expectSound(platform);
    await page.reload();
    await page.getByText('The order is unknown.').waitFor();
    expect(await billing()).toMatchObject({ plan: 'free', request: { status: 'rejected' } });
  });

  it('shows decisions on plans to platform admins only', async () => {
    const guest = await dashboard.open('/platform/upgrade-requests');
    await guest.reads('Sign in');
    await guest.signInAs('developer');
    await guest.reads('Platform');
    await guest.page.getByText('Only platform admins see the plans of all workspaces.').waitFor();
    expect(await guest.page.getByRole('table').count()).toBe(0);
    expect(dashboard.complaints).toEqual([]);
  });

  it('starts a sync, and names milestones that are not releases', async () => {
    const { catalog } = dashboard.environment.repositories;
    const milestone = catalog.milestones.create({ title: 'some day' });
    const page = await dashboard.openSignedIn('/w/acme/settings/sync', { width: 360 });
    await page.getByRole('button', { name: 'Sync catalog' }).click();
    await page.getByText('The sync has started.').or(page.getByText('The sync starts when')).first().waitFor();
    const link = page.getByRole('link', { name: 'some day' });
    await dashboard.reloadUntil(page, link);
    expect(await link.getAttribute('href')).toBe(
      `${dashboard.environment.github.url}/acme/catalog/milestone/${milestone.number}`,
    );
    await page.getByRole('button', { name: 'Sync all repositories' }).click();
    await page.getByText('The sync has started.').or(page.getByText('The sync starts when')).first().waitFor();
    await dashboard.expectSound(page);
    catalog.milestones.delete(milestone);
  });

  it('shows the audit log with its hashes, also entries that the user cannot read', async () => {
    const { entries } = await (await dashboard.signIn()).get<AuditLog>('/api/audit?page=1&pageSize=25');
    const page = await dashboard.openSignedIn('/w/acme/settings/audit', { width: 360, colorScheme: 'dark' });
    const headers = page.getByRole('rowheader');
    await headers.nth(entries.length - 1).waitFor();
    const texts = await headers.allInnerTexts();
    for (const [at, { sequence, action, subject }] of entries.entries()) {
      expect(texts[at]).toContain(subject);
      expect(texts[at]).toContain(`#${sequence} ${action}`);
    }
    await page.getByText('Details', { exact: true }).nth(1).click();
    await page.locator('details[open] code').first().waitFor();
    await dashboard.expectSound(page);

    const hash = 'a'.repeat(64);
    await page.route('**/api/audit?*', (route) =>
      route.fulfill({
        json: {
          workspace: '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b',
          entries: [{ sequence: 7, hash, previousHash: hash, hidden: true }],
          pagination: { page: 1, pages: 1, pageSize: 25, total: 1 },
        },
      }),
    );
    await page.route('**/api/audit/head', (route) =>
      route.fulfill({ status: 400, json: { error: 'This is a sentence of the service.' } }),
    );
    dashboard.expectRejections(400);
    await page.reload();
    await page.getByText('The last entry could not be loaded.').waitFor();
    await page.getByText('An entry about a repository that you cannot read').waitFor();
    await page.getByRole('rowheader', { name: '#7' }).waitFor();
  });

  it('shows diagnostics and copies them as text', async () => {
    const page = await dashboard.openSignedIn('/w/acme/settings/diagnostics', { width: 1280 });
    const section = page.getByRole('region', { name: 'Versions' });
    const { versions } = await (await dashboard.signIn()).get<{ versions: Record<string, string> }>('/api/debug');
    await section.waitFor();
    for (const version of Object.values(versions)) expect(await section.innerText()).toContain(version);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    expect(JSON.parse(await page.evaluate('navigator.clipboard.readText()'))).toMatchObject({ versions });
    await dashboard.expectSound(page);
  });

  it('shows the sentence of the service to a member who opens an area of admins', async () => {
    const page = await dashboard.openSignedIn('/w/acme/settings/diagnostics', { login: 'developer' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/admin/i);
    await page.goto(`${dashboard.url}/w/acme/settings/audit`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/admin|auditor/i);
    // Nothing that the member could do would help.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
}
