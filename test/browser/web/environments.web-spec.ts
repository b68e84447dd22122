import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Ci, nextRunId } from '../../demo/ci.js';
import type { Repository } from '../../github-sim/state/repository.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { DEMO_REPORTS, findRelease, until, untilLoaded } from './own-release.js';

const VERSION = 'v1.0.0';
const HOSTILE = '<img src=x onerror=alert(1)>';
const POLICY = `version: v1
stages:
  development: { deploy_target: dev }
  testing: { deploy_target: staging, soak: 2h, required_artifacts: [{ name: api, provenance: false }] }
  evidencing: { required_evidence: [{ kind: unit_tests }] }
  deployment: { requires_evidence_approval: false }
`;
const SHA = 'ab'.repeat(20);
const artifact = (name: string, more: object) => ({
  id: '11111111-1111-4111-8111-111111111111',
  name,
  digest: `sha256:${'4f1c2d9e'.repeat(8)}`,
  commitSha: SHA,
  commitSource: 'token',
  runId: null,
  binding: 'none',
  accepted: false,
  receivedAt: '2026-05-04T09:30:00Z',
  bundles: [],
  ...more,
});

interface Environment {
  readonly name: string;
  readonly state: string;
  readonly commitSha: string | null;
}

/** What is deployed where: the environments of a release, its deployments and artifacts, and the list of all repositories. */
export function testEnvironments(dashboard: DashboardUnderTest): void {
  let shop: Repository;
  let sha = '';
  let id = '';

  const deploy = (environment: string, ref = sha): void => {
    shop.deployments.setStatus(shop.deployments.create({ ref, environment }), 'success');
  };

  const openRelease = (part = ''): Promise<Page> =>
    dashboard.openSignedIn(`/w/acme/releases/${id}${part}`, { width: 1280 });

  beforeAll(async () => {
    const { github, organization, service, issuer } = dashboard.environment;
    const files = { 'sdlc.yaml': POLICY, 'src/index.ts': 'export const version = 1;\n' };
    shop = github.createRepository(organization, { name: 'shop', private: true, files });
    shop.milestones.create({ title: VERSION });
    sha = shop.git.branchHead('main') ?? '';
    const user = await dashboard.signIn();
    await until('the repository is known', async () =>
      user.get('/api/milestones/acme/shop').then(
        () => true,
        () => false,
      ),
    );
    id = await findRelease(dashboard, 'shop', VERSION);
    const ci = new Ci({ serviceUrl: service.url, issuer, reports: DEMO_REPORTS }, shop, { sha, runId: nextRunId() });
    await until('the release has evidence', async () => (await ci.upload(VERSION, 'test', ['junit.xml'])) < 300);
    deploy('dev');
    await until('the deployment is known', async () => {
      const { environments } = await user.get<{ readonly environments: readonly Environment[] }>(
        `/api/milestones/${id}?look=stored`,
      );
      return environments[0]?.state === 'deployed';
    });
  }, 120_000);

  it('shows the environments of a release in their order, live, with the time that is left of a soak', async () => {
    const page = await openRelease();
    const row = page.getByRole('region', { name: 'Environments' });
    const at = (name: string) => row.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await at('dev').getByText('Deployed', { exact: true }).waitFor();
    expect(await row.locator('strong').allInnerTexts()).toEqual(['dev', 'staging', 'production']);
    expect(await at('dev').innerText()).toContain(`Candidate ${sha.slice(0, 7)}`);
    expect(await at('staging').innerText()).toMatch(
      /Not deployed\s+No deployment is known\.\s+A soak of 2 h is required\./,
    );
    expect(await at('production').innerText()).not.toContain('soak');
    await page.getByText('Live', { exact: true }).waitFor();

    deploy('staging');
    await at('staging').getByText('Soaking', { exact: true }).waitFor();
    expect(await at('staging').innerText()).toMatch(/Soak ends in (?:2 h|1 h \d+ min)/);
    await page
      .getByRole('region', { name: 'What keeps the gate closed' })
      .getByText('Wait until the soak ends, and deploy nothing else to the environment meanwhile.')
      .waitFor();

    const other = shop.commit({ files: { 'src/next.ts': 'export const next = 1;\n' } });
    deploy('dev', other);
    await at('dev')
      .getByText(`Deployed there: ${other.slice(0, 7)}`)
      .waitFor();
    await at('dev').getByText('Not deployed', { exact: true }).waitFor();
    await dashboard.expectSoundInAllModes(page);
  });

  it.each([
    ['unknown', { state: 'unknown', soakSeconds: 7_200 }, /Unknown\s*Last known:/],
    [
      'failed',
      { state: 'failed', isCandidate: false, commitSha: null },
      /Deployment failed\s*No deployment is known\./,
    ],
    ['deploying', { state: 'deploying', isCandidate: false, commitSha: null }, /Deployment is running/],
    ['soaked', { state: 'soaked', isCandidate: false, soakSeconds: 7_200 }, /Soak completed\s*Deployed there:/],
    [
      'at the end of its soak',
      { state: 'soaking', soakSeconds: 7_200, soakEndsAt: '2026-01-01T00:00:00Z' },
      /The time of the soak is over\. Shipgate reads the deployments again\./,
    ],
    ['ungoverned', { state: 'deployed', kind: 'ungoverned' }, /Deployed\s*Ungoverned/],
  ])('shows an environment that is %s', async (_, change, expected) => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.route(/\/api\/milestones\/[^/]+\?look=/, async (route) => {
      const response = await route.fetch();
      const details = (await response.json()) as { environments: object[] };
      details.environments[1] = {
        ...details.environments[1],
        commitSha: SHA,
        commitUrl: `https://github.com/acme/shop/commit/${SHA}`,
        isCandidate: true,
        since: '2026-05-04T09:30:00Z',
        source: 'github',
        soakSeconds: null,
        soakEndsAt: null,
        ...change,
      };
      await route.fulfill({ response, json: details });
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
    const item = page.getByRole('region', { name: 'Environments' }).getByRole('listitem').nth(1);
    await item.filter({ hasText: expected }).waitFor();
    await dashboard.expectSound(page);
  });

  it('shows no environments where the policy names only the target', async () => {
    const other = await findRelease(dashboard, 'catalog', 'v0.9.0');
    const page = await dashboard.openSignedIn(`/w/acme/releases/${other}/deployments`);
    await page.getByRole('heading', { name: 'Deployments' }).waitFor();
    await untilLoaded(page);
    expect(await page.getByRole('region', { name: 'Environments' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Artifacts' }).count()).toBe(0);
  });

  it('lists the deployments of a release with their source, live', async () => {
    const user = await dashboard.signIn();
    const { key } = await user.post<{ readonly key: string }>('/api/settings/api-keys', {
      name: 'Jenkins',
      scopes: ['deployment:write'],
      repos: ['shop'],
    });
    const report = async (status: string): Promise<void> => {
      const response = await fetch(`${dashboard.environment.service.url}/api/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          repo: 'acme/shop',
          environment: 'qa',
          deployment: 'jenkins-412',
          status,
          commit_sha: sha,
          run_url: 'https://jenkins.example/job/412/',
        }),
      });
      expect(response.status).toBe(201);
    };
    const page = await openRelease('/deployments');
    await page.getByRole('row', { name: /^dev/ }).filter({ hasText: 'GitHub' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await report('started');
    const row = page.getByRole('row', { name: /^qa/ });
    await row.getByText('Running', { exact: true }).waitFor();
    expect(await row.innerText()).toContain('Reported with the API key Jenkins');
    expect(await row.innerText()).toContain('It started while the gate was closed.');
    expect(await row.getByRole('link', { name: 'Open the run' }).getAttribute('href')).toBe(
      'https://jenkins.example/job/412/',
    );
    await report('succeeded');
    await row.getByText('Succeeded', { exact: true }).waitFor();
    await dashboard.expectSoundInAllModes(page);
  });

  it('shows the artifacts of a release: digest, what binds each, and why a provenance is not valid', async () => {
    const page = await openRelease();
    await page.getByRole('link', { name: 'Show the artifacts' }).click();
    await page.waitForURL(/\/deployments/);
    await page.getByText('Required and not stated yet: api.').waitFor();
    const provenance = {
      sourceSha: SHA,
      runId: '8123456789',
      runnerEnvironment: 'github-hosted',
      signerWorkflow: 'acme/shop/.github/workflows/build.yml',
    };
    const bundle = (status: string, more: object) => ({
      sha256: 'a'.repeat(64),
      status,
      reason: null,
      provenance: null,
      ...more,
    });
    await page.route('**/api/milestones/*/artifacts', (route) =>
      route.fulfill({
        json: {
          artifacts: [
            artifact('api', { binding: 'provenance', accepted: true, bundles: [bundle('verified', { provenance })] }),
            artifact('web', { id: '2', binding: 'run', runId: '4000000001' }),
            artifact('worker', { id: '3', binding: 'pending', bundles: [bundle('pending', {})] }),
            artifact('tool', { id: '4', bundles: [bundle('invalid', { reason: `Not this repository: ${HOSTILE}` })] }),
          ],
        },
      }),
    );
    await page.reload();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
    expect(await row('api').innerText()).toMatch(
      /4f1c2d9e4f1c…[^]*Accepted[^]*Provenance[^]*github-hosted[^]*build\.yml/,
    );
    expect(await row('api').getByRole('link', { name: 'Open the run' }).getAttribute('href')).toContain(
      '/acme/shop/actions/runs/8123456789',
    );
    expect(await row('web').innerText()).toMatch(/Not accepted[^]*Stated by the run/);
    expect(await row('worker').innerText()).toContain('Being verified');
    expect(await row('tool').innerText()).toContain(`Provenance is not valid: Not this repository: ${HOSTILE}`);
    await row('api').getByRole('button', { name: 'Copy the digest of api' }).waitFor();
    await dashboard.expectSoundInAllModes(page);
  });

  it('shows what is where, live, with a search in the URL', async () => {
    deploy('staging');
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.getByRole('link', { name: 'Show what is where' }).click();
    await page.waitForURL('**/releases?view=environments');
    const row = page.getByRole('row', { name: /^shop/ });
    await row.getByText(`staging: ${VERSION}`).waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Repository',
      'Development',
      'Testing',
      'Target',
    ]);
    expect(await page.getByRole('row', { name: /^payments/ }).innerText()).toContain('production: v1.4.0');
    await page.getByText('Live', { exact: true }).waitFor();
    deploy('dev');
    await row.getByText(`dev: ${VERSION}`).waitFor();
    await page.getByLabel('Search by repository').fill('sho');
    await page.waitForURL('**/releases?view=environments&q=sho');
    await page.getByText('1 repository', { exact: true }).waitFor();
    await dashboard.expectSoundInAllModes(page);
    await page.getByLabel('Search by repository').fill('nothing');
    await page.getByText('No repository matches this search.').waitFor();
  });

  it('says if the environments could not be loaded, and reads them again', async () => {
    dashboard.expectRejections(500);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route('**/api/environments?*', (route) => route.fulfill({ status: 500, json: { error: 'It failed.' } }));
    await page.goto(`${dashboard.url}/w/acme/releases?view=environments`);
    await page.getByText('The environments could not be loaded.').waitFor();
    await page.unroute('**/api/environments?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /^shop/ }).waitFor();
  });
}
