import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { Download, Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

interface History {
  readonly history: readonly {
    readonly repo: string;
    readonly version: string;
    readonly candidateSha: string;
    readonly approvers: readonly string[];
    readonly score: number;
  }[];
  readonly repositories: readonly string[];
}

/** The deployments. */
export function testHistory(dashboard: DashboardUnderTest): void {
  it('lists the deployments of the service, opens one, and exports them', async () => {
    const user = await dashboard.signIn();
    const { history, repositories } = await user.get<History>('/api/history?page=1&kind=release');
    const [shipped] = history;
    expect(shipped).toMatchObject({ repo: 'payments', version: 'v1.4.0' });
    const page = await dashboard.openSignedIn('/w/acme/history?kind=release', { width: 1280 });
    const row = page.getByRole('row', { name: 'payments v1.4.0' });
    await row.waitFor();
    expect(await page.getByLabel('Repository', { exact: true }).locator('option').allInnerTexts()).toEqual([
      'All repositories',
      ...repositories,
    ]);
    expect(await row.innerText()).toContain(`Release\tproduction`);
    expect(await row.innerText()).toContain(String(shipped!.score));
    const chart = page.getByRole('region', { name: 'Lead times' });
    const [dot] = await chart.locator('circle title').evaluateAll((all) => all.map(({ textContent }) => textContent));
    expect(await row.innerText()).toContain(dot?.replace('payments v1.4.0: ', ''));
    await row.getByRole('button', { name: 'Details of payments v1.4.0' }).click();
    await page.waitForURL(/open=/);
    await page.getByText(shipped!.candidateSha).waitFor();
    expect(await page.locator('dl').innerText()).toContain(shipped!.approvers.join(', '));
    expect(await page.getByRole('link', { name: 'The decision that opened the gate' }).getAttribute('href')).toMatch(
      /^\/w\/acme\/releases\/[\w-]+\/decisions\/[\w-]+$/,
    );
    await dashboard.expectSound(page);
    const pack = await download(page, 'Download the audit pack');
    expect(pack.suggestedFilename()).toMatch(/\.zip$/);
    const csv = await download(page, `Export ${history.length} deployment${history.length === 1 ? '' : 's'}: CSV`);
    expect(new URL(csv.url()).search).toBe('?kind=release&format=csv&workspace=acme');
    expect(readFileSync(await csv.path(), 'utf8')).toContain(shipped!.candidateSha);
  });

  it('keeps the filters in the URL, and clears them', async () => {
    const page = await dashboard.openSignedIn('/w/acme/history');
    await page.getByLabel('Repository', { exact: true }).selectOption('acme/payments');
    await page.waitForURL('**/history?repository=acme%2Fpayments');
    await page.getByLabel('Last day').fill('2020-01-31');
    await page.waitForURL('**/history?repository=acme%2Fpayments&to=2020-01-31');
    await page.getByText('No deployment matches these filters.').waitFor();
    await page.goBack();
    await page.waitForURL('**/history');
    expect(await page.getByLabel('Repository', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Environment').selectOption('production');
    await page.waitForURL('**/history?environment=production');
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    await page.goto(`${dashboard.url}/w/acme/history?environment=nowhere`);
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    expect(await page.getByLabel('Environment').inputValue()).toBe('');
    await page.getByLabel('First day').fill('2026-02-02');
    await page.getByLabel('Last day').fill('2026-02-01');
    await page.getByRole('alert').waitFor();
  });

  it('warns about deployments past the gate, and shows foreign texts as text', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    await page.route('**/api/history?*', (route) => route.fulfill({ json: GIVEN }));
    await page.goto(`${dashboard.url}/w/acme/history`);
    const row = page.getByRole('row', { name: `${HOSTILE} no release` });
    await row.getByText('The deployment bypassed the gate.').waitFor();
    expect(await row.getByText('Ungoverned').count()).toBe(1);
    await row.getByRole('button').click();
    const facts = page.locator('dl');
    await facts.getByText('the database was verified by hand').waitFor();
    for (const text of [HOSTILE, 'requested by ada, confirmed by bob', 'Break-glass', '1 of 2 approvals given.'])
      expect(await facts.innerText()).toContain(text);
    await dashboard.expectSound(page);
  });
}

async function download(page: Page, name: string): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
  return file;
}

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** A deployment that bypassed the gate, with every text that others can write. */
const GIVEN = {
  history: [
    {
      id: '00000000-0000-4000-8000-000000000001',
      milestoneId: null,
      org: 'acme',
      repo: HOSTILE,
      repoId: '00000000-0000-4000-8000-000000000002',
      repoUrl: 'https://github.com/acme/x',
      version: null,
      kind: 'ungoverned',
      candidateSha: SHA,
      candidateUrl: `https://github.com/acme/x/commit/${SHA}`,
      environment: HOSTILE,
      deployedAt: '2026-05-06T18:00:00Z',
      deployedBy: null,
      approvers: [],
      decisionId: null,
      score: null,
      leadTimeSeconds: null,
      source: 'api_key',
      keyName: HOSTILE,
      runUrl: null,
      note: HOSTILE,
      overrides: [
        {
          id: '00000000-0000-4000-8000-000000000003',
          kind: 'break_glass',
          reason: 'the database was verified by hand',
          requestedBy: 'ada',
          confirmedBy: 'bob',
          expiresAt: '2026-05-06T19:00:00Z',
          conditions: [{ code: 'approvals_missing', actor: 'reviewer', detail: '1 of 2 approvals given.' }],
        },
      ],
    },
  ],
  repositories: ['acme/x'],
  pagination: { page: 1, pageSize: 25, total: 1, pages: 1 },
};
