import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { findRelease } from './own-release.js';

interface Decisions {
  readonly decisions: readonly {
    readonly id: string;
    readonly open: boolean;
    readonly reasons: readonly { readonly detail: string }[];
  }[];
}

/** The decisions about a release as a timeline, and their replay. */
export function testDecisions(dashboard: DashboardUnderTest): void {
  it('shows every decision and change of stage of the demo, and replays each with the same result', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const user = await dashboard.signIn();
    const { decisions } = await user.get<Decisions>(`/api/milestones/${id}/decisions`);
    const { transitions } = await user.get<{ transitions: readonly unknown[] }>(`/api/milestones/${id}?look=stored`);
    expect(decisions.length).toBeGreaterThan(10);
    const page = await dashboard.openSignedIn(`/w/acme/releases/${id}/decisions`, { width: 1280 });
    const timeline = page.getByRole('list', { name: 'Decisions and changes of stage, newest first' });
    await timeline.waitFor();
    const items = timeline.getByRole('listitem');
    const older = page.getByRole('button', { name: 'Show older decisions' });
    for (let count = await items.count(); await older.isVisible(); count = await items.count()) {
      await older.click();
      await items.nth(count).waitFor();
    }
    expect(await items.count()).toBe(decisions.length + transitions.length);
    expect(await timeline.getByText('Gate open').count()).toBe(decisions.filter((decision) => decision.open).length);
    await timeline.getByText('Stage: Deployment → Deployed').waitFor();
    await dashboard.expectSound(page);
    const links = timeline.getByRole('link', { name: /^Decision of/ });
    for (const [at, decision] of decisions.entries()) {
      await links.nth(at).click();
      await page.waitForURL(`**/decisions/${decision.id}`);
      for (const { detail } of decision.reasons) await page.getByText(detail).first().waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText('Same result').waitFor();
      await page.getByRole('link', { name: 'All decisions' }).click();
    }
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows verdict and inputs as JSON, and the differences of a replay', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const user = await dashboard.signIn();
    const { decisions } = await user.get<Decisions>(`/api/milestones/${id}/decisions`);
    const decisionId = decisions[2]?.id ?? '';
    const { inputs } = await user.get<{ inputs: object }>(`/api/milestones/${id}/decisions/${decisionId}`);
    const page = await dashboard.openSignedIn(`/w/acme/releases/${id}/decisions/${decisionId}`, {
      width: 360,
      colorScheme: 'dark',
    });
    await page.getByText('Inputs as JSON').click();
    expect(JSON.parse(await page.locator('details[open] pre').innerText())).toEqual(inputs);
    await page.route('**/replay', (route) =>
      route.fulfill({ json: { agrees: false, differences: ['stage', 'gate'], verdict: null } }),
    );
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Different result').waitFor();
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /^(?:stage|gate)$/ })
        .count(),
    ).toBe(2);
    await page.getByText('The current rules derive no verdict from these inputs.').waitFor();
    await dashboard.expectSound(page);
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/decisions/00000000-0000-4000-8000-000000000000`);
    await page.getByRole('alert').getByText('The release has no such decision.').waitFor();
    await page.getByRole('link', { name: 'All decisions' }).waitFor();
  });

  it('says at once that the rules have changed since an older decision, and offers no replay', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const user = await dashboard.signIn();
    const { decisions } = await user.get<Decisions>(`/api/milestones/${id}/decisions`);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route(/\/decisions\/[0-9a-f-]+$/, async (route) => {
      if (route.request().resourceType() === 'document') return route.fallback();
      const response = await route.fetch();
      const body = (await response.json()) as object;
      return route.fulfill({ response, json: { ...body, rules: '0.0.9', rulesChanged: true } });
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/decisions/${decisions[2]?.id ?? ''}`);
    await page.getByText('run shipgate verify-pack of version 0.0.9 on the audit pack of this release').waitFor();
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    await dashboard.expectSound(page);
    expect(dashboard.complaints).toEqual([]);
  });

  it('loads older decisions when the user asks for them', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route(/\/decisions\?/, async (route) => {
      // Without `If-None-Match`, so that the response always has a body.
      const { 'if-none-match': _tag, ...headers } = route.request().headers();
      const response = await route.fetch({ headers });
      const body = (await response.json()) as { decisions: { id: string }[]; pagination: { page: number } };
      const isFirst = body.pagination.page === 1 && !route.request().url().includes('page=2');
      const answer = isFirst ? body.decisions.slice(0, 5) : body.decisions.slice(5);
      await route.fulfill({
        response,
        json: { decisions: answer, pagination: { ...body.pagination, page: isFirst ? 1 : 2, pages: 2 } },
      });
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/decisions`);
    const links = page.getByRole('link', { name: /^Decision of/ });
    await links.nth(4).waitFor();
    expect(await links.count()).toBe(5);
    expect(await page.getByText('Stage: Planning', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show older decisions' }).click();
    await page.getByRole('button', { name: 'Show older decisions' }).waitFor({ state: 'detached' });
    expect(dashboard.complaints).toEqual([]);
  });
}
