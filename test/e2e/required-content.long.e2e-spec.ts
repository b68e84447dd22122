import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';
const MATERIALS = readFileSync('test/fixtures/reports/cyclonedx/npm-11.json', 'utf8');
const NO_MATERIALS = '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":[]}';
const UNNAMED_PACKAGE = '{"spdxVersion":"SPDX-2.3","packages":[{"name":" \\u200b"}]}';
const PAGE = '<!DOCTYPE html><title>Bill of materials</title><p>left-pad</p>';

const requiring = (kind: string): string => `version: v1
stages:
  evidencing: { required_evidence: [{ kind: ${kind} }] }
  deployment: { requires_evidence_approval: false }
`;

let env: TestEnvironment;
let scenarios = 0;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

async function given(kind: string): Promise<{ readonly repo: RepositoryScenario; readonly sha: string }> {
  scenarios += 1;
  const repo = new RepositoryScenario(env, { name: `shop-${scenarios}`, sdlc: requiring(kind) });
  repo.milestone(VERSION);
  const sha = repo.commit();
  await env.waitUntilIdle();
  await repo.test(VERSION, sha);
  return { repo, sha };
}

async function upload({ repo, sha }: Awaited<ReturnType<typeof given>>, body: object): Promise<void> {
  const { status } = await repo.run(sha).upload(VERSION, { pipeline: 'documents', ...body });
  expect(status).toBe(201);
  await env.waitUntilIdle();
}

/** The reasons of the closed gate. */
async function reasons(repo: RepositoryScenario): Promise<readonly unknown[]> {
  const { can_deploy: open, reasons: received = [] } = await repo.gate(VERSION);
  expect(open).toBe(received.length === 0);
  return received.map(({ code, detail }) => [code, detail]);
}

const NO_COMPONENT = [
  'evidence_missing',
  '"sbom" of "documents" (ci) lists no component. Upload a CycloneDX or SPDX document that lists at least one.',
];
const nothing = (kind: string): readonly string[] => [
  'evidence_missing',
  `"${kind}" of "documents" (ci) is empty. Upload a file, a report or a metric that is not empty.`,
];

describe('required evidence', () => {
  it.each<[string, string, object]>([
    ['a page', 'manual', { files: [{ filename: 'a.html', format: 'html', content: ' \u200B\n' }] }],
    ['a metric', 'manual', { metrics: { note: '\u2060\u200B' } }],
    ['a report', 'performance', { reports: { latency: '\u00AD\u200C' } }],
    ['a component', 'sbom', { files: [{ filename: 'a.json', content: NO_MATERIALS.replace('[]', '[{"name":""}]') }] }],
    ['a package', 'sbom', { files: [{ filename: 'a.json', content: UNNAMED_PACKAGE }] }],
  ])('is not met by %s without visible content', async (_what, kind, body) => {
    const release = await given(kind);
    await upload(release, { kind, ...body });
    expect(await reasons(release.repo)).toEqual([kind === 'sbom' ? NO_COMPONENT : nothing(kind)]);
  });

  it.each<[string, string, object]>([
    ['a bill of materials without any metric', 'sbom', { metrics: {} }],
    ['a bill of materials that is stated', 'sbom', { metrics: { components: 12 } }],
    ['a page for a bill of materials', 'sbom', { files: [{ filename: 'sbom.html', content: PAGE }] }],
    ['a bill of no materials', 'sbom', { files: [{ filename: 'sbom.json', content: NO_MATERIALS }] }],
    ['a report for a bill of materials', 'sbom', { reports: { sbom: { components: [{ name: 'left-pad' }] } } }],
    ['nothing at all', 'performance', { metrics: {} }],
    ['metrics without a value', 'performance', { metrics: { latency: { p95: null, tags: [] }, note: ' ' } }],
    ['reports without a value', 'manual', { reports: { signed: '', steps: {}, by: null } }],
  ])('is not met by %s, which was never provided', async (_what, kind, body) => {
    const release = await given(kind);
    await upload(release, { kind, ...body });
    expect(await reasons(release.repo)).toEqual([kind === 'sbom' ? NO_COMPONENT : nothing(kind)]);
  });

  it.each<[string, string, object]>([
    ['a bill of materials', 'sbom', { files: [{ filename: 'sbom.json', content: MATERIALS }] }],
    ['a metric', 'performance', { metrics: { latency: { p95: 120 } } }],
    ['a metric that is false', 'manual', { metrics: { broken: false } }],
    ['a page', 'manual', { files: [{ filename: 'signed.html', content: PAGE }] }],
    ['a report', 'custom', { reports: { licences: { allowed: ['MIT'] } } }],
  ])('is met by %s', async (_what, kind, body) => {
    const release = await given(kind);
    await upload(release, { kind, metrics: {} });
    expect(await reasons(release.repo)).toHaveLength(1);
    await upload(release, { kind, ...body });
    expect(await reasons(release.repo)).toEqual([]);
  });

  it('is not met if one upload of the latest run contains nothing, whatever the others contain', async () => {
    const release = await given('manual');
    const run = release.repo.run(release.sha);
    const shard = { pipeline: 'documents', kind: 'manual' };
    await run.upload(VERSION, { ...shard, metrics: { steps: 4 } });
    await run.upload(VERSION, { ...shard, metrics: {} });
    await env.waitUntilIdle();
    expect(await reasons(release.repo)).toEqual([nothing('manual')]);
  });
});
