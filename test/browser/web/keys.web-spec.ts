import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

interface Keys {
  readonly keys: readonly { readonly name: string; readonly prefix: string }[];
}

const API_KEYS = '/w/acme/settings/api-keys';
const DAY_MS = 86_400_000;

/** API keys and personal keys. */
export function testKeys(dashboard: DashboardUnderTest): void {
  const namesOf = async (path: string): Promise<readonly string[]> =>
    (await (await dashboard.signIn()).get<Keys>(path)).keys.map(({ name }) => name);

  it('creates an API key whose secret appears once and works, and revokes it', async () => {
    const page = await dashboard.openSignedIn(API_KEYS, { width: 1280 });
    await page.getByRole('rowheader', { name: /^demo/ }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Create the key' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('Jenkins');
    await dialog.getByLabel('Check the gate').check();
    await dialog.getByText('Without a choice, the key is valid for every repository').waitFor();
    await dialog.getByLabel('acme/payments').check();
    await dialog.getByText('The key is valid for 1 repository only.').waitFor();
    const end = new Date(`${await dialog.getByLabel(/^Expires on/).inputValue()}T00:00:00Z`);
    expect(Math.round((end.getTime() - Date.now()) / DAY_MS)).toBeGreaterThan(363);
    await dashboard.expectSound(page);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByText('Store the secret of Jenkins now.').waitFor();
    const secret = await dialog.locator('code').innerText();
    expect(secret).toMatch(/^sgk_/);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /^Jenkins/ })
      .getByText('Upload evidence, Check the gate')
      .waitFor();
    expect(await page.getByRole('row', { name: /^Jenkins/ }).innerText()).toContain('payments');
    await dashboard.expectNowhere(page, secret);
    const gate = await fetch(`${dashboard.url}/api/milestones/check?repo=acme/payments&version=v1.4.0&explain=true`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(gate.status).toBe(200);

    await page.getByRole('button', { name: 'Revoke Jenkins' }).click();
    await dialog.getByText(secret.slice(0, 6)).waitFor();
    await dialog.getByRole('button', { name: 'Revoke Jenkins' }).click();
    await page.getByRole('rowheader', { name: /^Jenkins/ }).waitFor({ state: 'detached' });
    expect(await namesOf('/api/settings/api-keys')).toEqual(['demo']);
  });

  it('marks expired and unused keys, and shows lines for CI with the address of the service', async () => {
    const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    const key = {
      id: '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b',
      name: 'old',
      prefix: 'sgk_4fZq0B',
      scopes: ['gate:read'],
      createdAt: daysAgo(200),
      createdBy: 'ada',
      lastUsedAt: daysAgo(91),
      expiresAt: null,
    };
    const ended = { ...key, id: '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5c', name: 'ended', expiresAt: daysAgo(1) };
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    await page.route('**/api/settings/api-keys', (route) => route.fulfill({ json: { keys: [key, ended] } }));
    await page.goto(dashboard.url + API_KEYS);
    await page.getByRole('rowheader', { name: /^old/ }).getByText('Unused for 90 days').waitFor();
    await page
      .getByRole('rowheader', { name: /^ended/ })
      .getByText('Expired')
      .waitFor();
    const lines = await page.locator('pre').allInnerTexts();
    expect(lines).toHaveLength(4);
    for (const at of [0, 1, 3]) expect(lines[at]).toContain(dashboard.url);
    expect(lines[0]).toContain('SHIPGATE_AUDIENCE: "shipgate"');
    expect(lines[1]).toContain('SHIPGATE_REPO=acme/REPOSITORY');
    await dashboard.expectSound(page);
  });

  it('creates and revokes a personal key, which only its owner sees', async () => {
    const page = await dashboard.openSignedIn('/w/acme/settings/personal-keys', { login: 'developer', width: 360 });
    await page.getByText('You have no personal key.').waitFor();
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('editor');
    await dialog.getByLabel('Read and change what you can').check();
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const code = dialog.locator('code');
    await code.waitFor();
    const secret = await code.innerText();
    expect(secret).toMatch(/^sgp_/);
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("denied"))');
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('alert').getByText('The browser did not allow copying.').waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page
      .getByRole('row', { name: /^editor/ })
      .getByText('Read and change what you can')
      .waitFor();
    await dashboard.expectNowhere(page, secret);
    expect(await namesOf('/api/settings/mcp-keys')).toEqual([]);
    await page.getByRole('button', { name: 'Revoke editor' }).click();
    await dialog.getByRole('button', { name: 'Revoke editor' }).click();
    await page.getByText('You have no personal key.').waitFor();
    // The button that had the focus is gone with its row.
    await page.locator('h1:focus').waitFor();
  });
}
