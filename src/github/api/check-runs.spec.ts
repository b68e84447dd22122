import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';
import { gfm } from '../markdown.js';

const SHA = 'a'.repeat(40);
const RUNS = `GET /repos/acme/app/commits/${SHA}/check-runs`;
const CREATE = 'POST /repos/acme/app/check-runs';
const runJson = (id: number, appId: number, name = 'Shipgate'): object => ({
  id,
  name,
  external_id: `e-${id}`,
  app: { id: appId, slug: 'some-app' },
});
const report = {
  name: 'Shipgate',
  externalId: 'e-1',
  conclusion: 'failure',
  title: 'Changed',
  summary: gfm`- A file.`,
} as const;
const sent = { name: 'Shipgate', external_id: 'e-1', status: 'completed', conclusion: 'failure' };
const output = { title: 'Changed', summary: '- A file.' };

describe('CheckRuns', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway({ appId: '42' });
  });
  afterEach(() => fake.server.stop());

  const own = async () => (await fake.github.checkRuns.findByName(APP, SHA, 'Shipgate')).value;

  it("finds the app's own run, and ignores a run of another app with the same name", async () => {
    fake.server.on(RUNS, { json: { total_count: 2, check_runs: [runJson(1, 43), runJson(2, 42)] } });
    await expect(own()).resolves.toEqual({ id: 2, externalId: 'e-2' });
  });

  it('finds no run of another app or with another name', async () => {
    fake.server.on(RUNS, { json: { total_count: 2, check_runs: [runJson(1, 43), runJson(2, 42, 'shipgate')] } });
    await expect(own()).resolves.toBeNull();
  });

  it('creates a finished run at the commit, and sends the request once if GitHub fails', async () => {
    fake.server.on(CREATE, { status: 502, json: {} });
    await expect(fake.github.checkRuns.create(APP, SHA, report)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(fake.server.calls(CREATE)).toHaveLength(1);
    fake.server.on(CREATE, { status: 201, json: runJson(1, 42) });
    await expect(fake.github.checkRuns.create(APP, SHA, report)).resolves.toEqual({ id: 1, externalId: 'e-1' });
    expect(JSON.parse(fake.server.calls(CREATE)[1]?.body ?? '')).toEqual({ head_sha: SHA, ...sent, output });
  });

  it('changes a run that it published', async () => {
    const route = 'PATCH /repos/acme/app/check-runs/7';
    fake.server.on(route, { json: runJson(7, 42) });
    await expect(fake.github.checkRuns.update(APP, 7, report)).resolves.toEqual({ id: 7, externalId: 'e-7' });
    expect(JSON.parse(fake.server.calls(route)[0]?.body ?? '')).toEqual({ ...sent, output });
  });
});
