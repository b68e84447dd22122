import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { DemoUser } from '../../demo/demo-user.js';
import { loadScreen, SCREENS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { createHotfix } from './own-release.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const ESCAPED = HOSTILE.replaceAll('<', '&lt;');
const JUNIT = `<testsuite name="${ESCAPED}" tests="1" failures="1"><testcase classname="${ESCAPED}" name="${ESCAPED}"><failure message="${ESCAPED}">${ESCAPED}</failure></testcase></testsuite>\n`;
const DAY_MS = 86_400_000;

const PATIENCE_MS = 300_000;

/** The parts of a release. Those with `true` show texts of users. */
const PARTS = {
  scope: true,
  evidence: true,
  checks: false,
  approvals: false,
  decisions: false,
  overrides: true,
  policy: false,
} as const;
/** The other screens that show texts of users. */
const WITH_TEXTS = new Set(['releases', 'projects', 'freezes', 'team', 'API keys', 'plan', 'sync', 'upgrade requests']);

/** Texts of users that look like markup. */
export function testHostileNames(dashboard: DashboardUnderTest): void {
  let id = '';

  beforeAll(async () => {
    const { environment } = dashboard;
    const { checkout } = environment.repositories;
    const eve = environment.github.createUser({ login: 'eve', name: HOSTILE });
    environment.organization.addMember(eve);
    checkout.setCollaborator(eve, 'write');
    const owner = await dashboard.signIn();
    const { token } = await owner.post<{ token: string }>('/api/team/invites', { login: eve.login, role: 'member' });
    await (await DemoUser.signIn(dashboard.url, eve.login)).post('/api/team/invites/accept', { token });

    checkout.commit({ files: { [`src/${HOSTILE}.ts`]: 'x' }, author: eve, message: HOSTILE });
    checkout.milestones.create({ title: HOSTILE, description: HOSTILE, by: eve });
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-hostile-'));
    writeFileSync(path.join(folder, `${HOSTILE}.xml`), JUNIT);
    id = await createHotfix(dashboard, 'v2.9.1', [`${HOSTILE}.xml`], folder);
    rmSync(folder, { recursive: true });
    const milestone = checkout.milestones.list().find(({ title }) => title === 'v2.9.1') ?? null;
    checkout.issues.create({ title: HOSTILE, milestone, labels: [HOSTILE], author: eve, assignees: [eve] });
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    await owner.post(`/api/milestones/${id}/waivers`, { condition: 'evidence_failing', reason: HOSTILE, expiresAt });
    const day = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    await owner.post('/api/freezes', { from: day, to: day, reason: HOSTILE });
    await owner.post('/api/projects', { name: HOSTILE, description: HOSTILE });
    await owner.post('/api/settings/api-keys', { name: HOSTILE, scopes: ['gate:read'] });
    // An earlier test may have left a request or the plan, which is also fine.
    await owner.post('/api/billing/upgrade-requests', { note: HOSTILE }).catch(() => undefined);
    await owner.post('/api/sync', {});
  }, PATIENCE_MS);

  /** Expects that the screen shows no text as markup. */
  async function expectText(address: string, hasTexts: boolean): Promise<void> {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360 });
    await loadScreen(page, dashboard.url + address);
    if (hasTexts) await dashboard.reloadUntil(page, page.getByText(HOSTILE).filter({ visible: true }).first());
    expect(await page.locator('[src=x], [onerror]').count()).toBe(0);
    expect(dashboard.complaints).toEqual([]);
  }

  it.each(Object.entries(PARTS))('shows names, titles, reasons and file names as text: %s', async (part, hasTexts) => {
    await expectText(`/w/acme/releases/${id}/${part}`, hasTexts);
  });

  it.each(Object.entries(SCREENS))(
    'shows names, titles, reasons and file names as text: %s',
    async (name, addressOf) => {
      await expectText(await addressOf(dashboard), WITH_TEXTS.has(name));
    },
  );

  it('uses no text of a hostile URL as markup, and follows none to another site', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const markup = encodeURIComponent(HOSTILE);
    for (const address of [
      `/w/acme/releases?q=${markup}&outcome=${markup}`,
      `/w/acme/r/${markup}/${markup}`,
      `/w/acme/releases/${markup}`,
      `/w/acme/history?repository=${markup}&environment=${markup}`,
      `/w/acme/quality?repo=${markup}&milestone=${markup}`,
      `/w/${markup}/releases`,
      `/workspaces?returnTo=${encodeURIComponent('//evil.example/w/acme/')}`,
      `/workspaces?returnTo=${encodeURIComponent('javascript:alert(1)')}`,
    ]) {
      dashboard.expectRejections(400, 404);
      await page.goto(dashboard.url + address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([address, new URL(page.url()).origin]).toEqual([address, dashboard.url]);
      expect(await page.locator('[src=x], [onerror]').count()).toBe(0);
    }
    await page.context().clearCookies();
    for (const target of ['//evil.example', '/\\evil.example', '/\t/evil.example', 'https://evil.example']) {
      await page.goto(`${dashboard.url}/sign-in?returnTo=${encodeURIComponent(target)}`);
      await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
      await page.locator(`button[value="${dashboard.environment.accounts.owner.login}"]`).click();
      await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor();
      expect([target, new URL(page.url()).origin]).toEqual([target, dashboard.url]);
      await page.context().clearCookies();
    }
    expect(dashboard.complaints).toEqual([]);
  });
}
