import type { Page, Request } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { findRelease } from './own-release.js';

const QUIET_MS = 400;
const API = /\/api\/(?!events)/;

/** The part of the window that may move without an action of the user. */
export const MAX_SHIFT = 0.02;
/** Adds up the layout shifts of the page that the user did not cause, in `layoutShift`. */
export const WATCH_SHIFTS = `
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

type Address = (dashboard: DashboardUnderTest) => Promise<string>;

const at =
  (path: string): Address =>
  () =>
    Promise.resolve(`/w/acme${path}`);

const release =
  (repo: string, version: string, part = ''): Address =>
  async (dashboard) =>
    `/w/acme/releases/${await findRelease(dashboard, repo, version)}${part}`;

/**
 * Every screen of a workspace with the data of the demo, by its content. The owner of the organization can open each.
 */
export const SCREENS: Readonly<Record<string, Address>> = {
  releases: at('/releases'),
  'releases by stage': at('/releases?view=stages'),
  'what is where': at('/releases?view=environments'),
  'a blocked release': release('catalog', 'v0.9.0'),
  'a release in development': release('checkout', 'v2.3.0', '/scope'),
  'a shipped release': release('payments', 'v1.4.0', '/scope'),
  evidence: release('payments', 'v1.4.0', '/evidence'),
  'an upload': async (dashboard) => {
    const address = await release('payments', 'v1.4.0', '/evidence')(dashboard);
    const id = address.split('/').at(-2);
    const user = await dashboard.signIn();
    const { evidence } = await user.get<{ readonly evidence: readonly { readonly evidenceId: string }[] }>(
      `/api/milestones/${id}/evidence`,
    );
    return `${address}/${evidence[0]?.evidenceId}`;
  },
  checks: release('payments', 'v1.4.0', '/checks'),
  approvals: release('payments', 'v1.4.0', '/approvals'),
  deployments: release('payments', 'v1.4.0', '/deployments'),
  'how a release was approved': release('payments', 'v1.4.0', '/approval'),
  'how a blocked release was not approved': release('catalog', 'v0.9.0', '/approval'),
  decisions: release('payments', 'v1.4.0', '/decisions'),
  'a decision': async (dashboard) => {
    const address = await release('payments', 'v1.4.0', '/decisions')(dashboard);
    const id = address.split('/').at(-2);
    const user = await dashboard.signIn();
    const { decisions } = await user.get<{ readonly decisions: readonly { readonly id: string }[] }>(
      `/api/milestones/${id}/decisions`,
    );
    return `${address}/${decisions[0]?.id}`;
  },
  overrides: release('catalog', 'v0.9.0', '/overrides'),
  policy: release('payments', 'v1.4.0', '/policy'),
  reviews: at('/reviews?scope=workspace'),
  quality: at('/quality?repo=catalog'),
  projects: at('/projects'),
  'a project': async (dashboard) => `/w/acme/projects/${await findProject(dashboard)}`,
  history: at('/history'),
  repositories: at('/repositories'),
  'a repository': async (dashboard) => {
    const user = await dashboard.signIn();
    const { groups } = await user.get<{
      readonly groups: readonly { readonly repos: readonly { readonly id: string }[] }[];
    }>('/api/repos?page=1&pageSize=50');
    return `/w/acme/repositories/${groups[0]?.repos[0]?.id}`;
  },
  freezes: at('/freezes'),
  team: at('/settings/team'),
  'API keys': at('/settings/api-keys'),
  'personal keys': at('/settings/personal-keys'),
  plan: at('/settings/billing'),
  sync: at('/settings/sync'),
  'audit log': at('/settings/audit'),
  diagnostics: at('/settings/diagnostics'),
  'upgrade requests': () => Promise.resolve('/platform/upgrade-requests'),
  'workspaces of the platform': () => Promise.resolve('/platform/workspaces'),
};

/** Returns the id of a project with a repository. Creates it if there is none. */
async function findProject(dashboard: DashboardUnderTest): Promise<string> {
  const name = 'All screens';
  const user = await dashboard.signIn();
  const { projects } = await user.get<{
    readonly projects: readonly { readonly id: string; readonly name: string }[];
  }>('/api/projects?page=1');
  const found = projects.find((project) => project.name === name);
  if (found) return found.id;
  const { id } = await user.post<{ readonly id: string }>('/api/projects', { name });
  const { releases } = await user.get<{
    readonly releases: readonly { readonly repoId: string; readonly milestoneId: string }[];
  }>('/api/dashboard?page=1');
  const [{ repoId, milestoneId } = { repoId: '', milestoneId: '' }] = releases;
  await user.put(`/api/projects/${id}/repos/${repoId}`, { milestoneId });
  return id;
}

/** Loads a URL, waits until the screen is complete, and returns its requests to the API. */
export async function loadScreen(page: Page, url: string): Promise<readonly string[]> {
  const requests: string[] = [];
  const waiting = new Set<Request>();
  let changedAt = Date.now();
  const follow = (request: Request, isSent: boolean): void => {
    if (!API.test(request.url())) return;
    changedAt = Date.now();
    if (!isSent) waiting.delete(request);
    else {
      waiting.add(request);
      requests.push(`${request.method()} ${request.url()}`);
    }
  };
  const onSent = (request: Request): void => follow(request, true);
  const onEnd = (request: Request): void => follow(request, false);
  page.on('request', onSent).on('requestfinished', onEnd).on('requestfailed', onEnd);
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  while (waiting.size > 0 || Date.now() - changedAt < QUIET_MS) await page.waitForTimeout(QUIET_MS / 8);
  page.off('request', onSent).off('requestfinished', onEnd).off('requestfailed', onEnd);
  return requests;
}
