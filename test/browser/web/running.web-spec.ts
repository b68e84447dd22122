import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const DIGEST = `sha256:${'4f1c2d9e'.repeat(8)}`;

interface RepositoryList {
  readonly groups: readonly { readonly repos: readonly { readonly id: string; readonly name: string }[] }[];
}

/** What runs in the environments. */
export function testRunning(dashboard: DashboardUnderTest): void {
  it('shows what runs in a repository, until it is gone', async () => {
    const owner = await dashboard.signIn();
    const { groups } = await owner.get<RepositoryList>('/api/repos?page=1&pageSize=50');
    const found = groups.flatMap(({ repos }) => repos).find(({ name }) => name === 'checkout');
    const { key } = await owner.post<{ readonly key: string }>('/api/settings/api-keys', {
      name: 'running',
      scopes: ['deployment:write'],
    });
    const state = async (artifacts: readonly object[]): Promise<void> => {
      const { status } = await fetch(`${dashboard.url}/api/environments/production/running`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ repo: 'acme/checkout', artifacts }),
      });
      expect(status).toBe(204);
    };
    const page = await dashboard.openSignedIn(`/w/acme/repositories/${found?.id}`, { width: 1280 });
    const section = page.getByRole('region', { name: 'Running artifacts', exact: true });
    await section.getByText('No running artifact was stated.').waitFor();
    await dashboard.expectSound(page);
    // Each change appears without a reload.
    await state([{ name: HOSTILE, digest: DIGEST }]);
    const row = section.getByRole('row', { name: HOSTILE });
    await row.getByText('sha256:4f1c2d9', { exact: true }).waitFor();
    await row.getByRole('cell', { name: 'production' }).waitFor();
    expect(await row.getByRole('button', { name: `Copy the digest of ${HOSTILE}` }).count()).toBe(1);
    await dashboard.expectSoundInAllModes(page);
    await state([]);
    await section.getByText('No running artifact was stated.').waitFor();
  });

  it('warns in the history about what runs and is not approved', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    await page.route('**/api/running?*', (route) =>
      route.fulfill({ json: toPage(Number(new URL(route.request().url()).searchParams.get('page'))) }),
    );
    await page.goto(`${dashboard.url}/w/acme/history`);
    const section = page.getByRole('region', { name: 'Running artifacts that are not approved', exact: true });
    const row = section.getByRole('row', { name: `${HOSTILE} api-a` });
    await row.getByText('Not approved', { exact: true }).waitFor();
    await row.getByText('sha256:4f1c2d9', { exact: true }).waitFor();
    expect(await row.getByRole('link', { name: HOSTILE }).getAttribute('href')).toBe(
      '/w/acme/repositories/00000000-0000-4000-8000-000000000002',
    );
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    await dashboard.expectSoundInAllModes(page);
    // The pages of the artifacts are not those of the history.
    const pages = section.getByRole('navigation', { name: 'Pages of the running artifacts' });
    await pages.getByRole('link', { name: 'Page 2' }).click();
    await section.getByRole('row', { name: `${HOSTILE} api-k` }).waitFor();
    expect(new URL(page.url()).search).toBe('?runningPage=2');
    expect(await section.getByRole('row', { name: `${HOSTILE} api-a` }).count()).toBe(0);
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    await dashboard.expectSoundInAllModes(page);
    // A page that is gone leads to the first one.
    await page.goto(`${dashboard.url}/w/acme/history?runningPage=3`);
    await row.waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('shows the history although what runs cannot be loaded, and nothing more if all of it is approved', async () => {
    dashboard.expectRejections(403);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route('**/api/running?*', (route) => route.fulfill({ status: 403, json: { error: 'Not for you.' } }));
    await page.goto(`${dashboard.url}/w/acme/history`);
    await page.getByText('The running artifacts could not be loaded.').waitFor();
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    await dashboard.expectSound(page);
    await page.unroute('**/api/running?*');
    await page.goto(`${dashboard.url}/w/acme/history`);
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
    expect(await page.getByRole('region', { name: 'Running artifacts that are not approved' }).count()).toBe(0);
  });
}

/** A page of eleven artifacts. */
function toPage(page: number): object {
  const [first, last] = [(page - 1) * 10 + 1, Math.min(page * 10, 11)];
  return {
    artifacts: Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
      org: 'acme',
      repoId: '00000000-0000-4000-8000-000000000002',
      repo: HOSTILE,
      environment: HOSTILE,
      name: `api-${'abcdefghijk'.charAt(first + index - 1)}`,
      digest: DIGEST,
      governed: false,
      firstSeen: '2026-05-06T18:00:00Z',
      lastSeen: '2026-05-06T19:00:00Z',
      statedAt: null,
    })),
    pagination: { page, pageSize: 10, total: 11, pages: 2 },
  };
}
