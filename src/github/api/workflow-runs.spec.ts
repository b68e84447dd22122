import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import type { Reply, SeenRequest } from '../../../test/support/fake-http-server.js';

const JOBS = 'GET /repos/acme/app/actions/runs/77/jobs';
const REFUSED = { status: 403, json: { message: 'Resource not accessible by integration' } };

const jobJson = (id: number, changes: object = {}): object => ({
  id,
  run_id: 77,
  run_attempt: 1,
  name: `test (${id})`,
  status: 'completed',
  conclusion: 'success',
  check_run_url: `https://api.github.test/repos/acme/app/check-runs/${id}`,
  ...changes,
});
const jobOf = (id: number, state = 'success', attempt = 1) => ({ id, name: `test (${id})`, attempt, state });

describe('WorkflowRuns', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  /** GitHub issues tokens with these permissions, one after the other. */
  const grant = (...permissions: readonly (Readonly<Record<string, string>> | undefined)[]): void => {
    const tokens = permissions.map((granted, index): Reply => {
      const expires = new Date(fake.clock.now().getTime() + 3_600_000).toISOString();
      return { status: 201, json: { token: `token-${index}`, expires_at: expires, permissions: granted } };
    });
    fake.server.on(TOKEN_ROUTE, ...tokens);
  };
  const list = (...jobs: readonly object[]): void => fake.server.on(JOBS, { json: { total_count: jobs.length, jobs } });
  /** Returns as many jobs as GitHub counts, a hundred per page. */
  const pages = (
    total: number,
    numberOf: (index: number, request: SeenRequest) => number = (index) => index + 1,
  ): void =>
    fake.server.on(JOBS, (request) => {
      const page = Number(request.query.get('page') ?? 1);
      const first = (page - 1) * 100;
      const count = Math.min(100, total - first);
      const next = `<${fake.server.url}/repos/acme/app/actions/runs/77/jobs?per_page=100&page=${page + 1}>; rel="next"`;
      return {
        headers: first + count < total ? { link: next } : {},
        json: {
          total_count: total,
          jobs: Array.from({ length: count }, (_, index) => jobJson(numberOf(first + index, request))),
        },
      };
    });
  const jobs = async () => (await fake.github.workflowRuns.jobs(APP, 77)).value;

  it.each([
    ['completed', 'success', 'success'],
    ['completed', 'skipped', 'skipped'],
    ['completed', 'neutral', 'skipped'],
    ['completed', 'failure', 'failure'],
    ['completed', 'cancelled', 'failure'],
    ['completed', 'timed_out', 'failure'],
    ['completed', 'action_required', 'failure'],
    ['completed', 'stale', 'failure'],
    ['completed', 'startup_failure', 'failure'],
    ['completed', 'something new', 'failure'],
    ['completed', null, 'failure'],
    ['queued', null, 'running'],
    ['in_progress', null, 'running'],
    ['waiting', null, 'running'],
    ['pending', null, 'running'],
    ['requested', null, 'running'],
    ['something new', 'success', 'running'],
  ])('reads a job that is %s with %p as %s', async (status, conclusion, state) => {
    list(jobJson(1, { status, conclusion }));
    await expect(jobs()).resolves.toEqual({ granted: true, jobs: [jobOf(1, state)], complete: true });
  });

  it('requests the jobs of all attempts, and lists them by id, carried over or not', async () => {
    list(jobJson(12, { run_attempt: 2 }), jobJson(3), jobJson(11, { run_attempt: 2, name: 'test (3)' }));
    const { jobs: listed } = await jobs();
    expect(listed).toEqual([jobOf(3), { ...jobOf(11, 'success', 2), name: 'test (3)' }, jobOf(12, 'success', 2)]);
    expect(Object.fromEntries(fake.server.calls(JOBS)[0]!.query)).toEqual({ filter: 'all', per_page: '100' });
  });

  it('treats a job without an attempt as one of the first', async () => {
    list(jobJson(1, { run_attempt: undefined }));
    expect((await jobs()).jobs).toEqual([jobOf(1)]);
  });

  it('reads a matrix of 256 jobs with all of nineteen attempts', async () => {
    pages(256 * 19);
    const { jobs: listed, complete } = await jobs();
    expect([listed.length, complete]).toEqual([256 * 19, true]);
  });

  it('marks the result if there are more jobs than it reads', async () => {
    pages(5_001);
    const { jobs: listed, complete } = await jobs();
    expect([listed.length, complete]).toEqual([5_000, false]);
    expect(fake.server.calls(JOBS)).toHaveLength(50);
  });

  it('reads again if a job moved from page to page meanwhile', async () => {
    let callsBefore = 0;
    pages(101, (index) => ((callsBefore += 1) <= 101 && index === 100 ? 100 : index + 1));
    const { jobs: listed, complete } = await jobs();
    expect([listed.length, complete]).toEqual([101, true]);
    expect(fake.server.calls(JOBS)).toHaveLength(4);
  });

  it('never treats a list as complete that is shorter than GitHub states', async () => {
    fake.server.on(JOBS, { json: { total_count: 2, jobs: [jobJson(1)] } });
    await expect(jobs()).resolves.toEqual({ granted: true, jobs: [jobOf(1)], complete: false });
    expect(fake.server.calls(JOBS)).toHaveLength(3);
  });

  describe('the beginning of a run', () => {
    const created = (id: number, at: string | undefined, attempt = 1): object =>
      jobJson(id, { run_attempt: attempt, created_at: at });
    const [FIRST, NEXT, LAST] = ['2026-05-04T08:59:59Z', '2026-05-04T09:00:00Z', '2026-05-05T00:00:00Z'];

    it.each<[string, readonly object[], string | undefined]>([
      ['its only job', [created(1, NEXT)], NEXT],
      ['the first of its jobs', [created(1, LAST), created(2, FIRST), created(3, NEXT)], FIRST],
      ['the first attempt', [created(9, LAST, 3), created(5, NEXT, 2), created(1, FIRST)], FIRST],
      ['nothing, without a job', [], undefined],
      ['nothing, if one job has no time', [created(1, FIRST), created(2, undefined)], undefined],
      ['nothing, if no job has a time', [created(1, undefined)], undefined],
    ])('is the creation of %s', async (_, given, beganAt) => {
      list(...given);
      expect((await jobs()).beganAt).toBe(beganAt);
    });

    it('is searched on every page, and unknown if GitHub has more jobs than it lists', async () => {
      const json = (...listed: readonly object[]): Reply => ({ json: { total_count: 2, jobs: listed } });
      fake.server.on(JOBS, (request) =>
        request.query.get('page') === '2'
          ? json(created(1, FIRST))
          : {
              ...json(created(2, NEXT)),
              headers: { link: `<${fake.server.url}/repos/acme/app/actions/runs/77/jobs?page=2>; rel="next"` },
            },
      );
      expect(await jobs()).toMatchObject({ complete: true, beganAt: FIRST });
      fake.server.on(JOBS, json(created(2, NEXT)));
      const incomplete = await jobs();
      expect(incomplete.complete).toBe(false);
      expect(incomplete).not.toHaveProperty('beganAt');
    });
  });

  describe('if the installation cannot read Actions', () => {
    it.each([
      ['403', REFUSED],
      ['404', { status: 404, json: { message: 'Not Found' } }],
    ])('reads this from the token and requests no jobs, which GitHub would answer with %s', async (_, reply) => {
      grant({ metadata: 'read', checks: 'write' });
      fake.server.on(JOBS, reply);
      await expect(jobs()).resolves.toEqual({ granted: false, jobs: [], complete: true });
      expect(fake.server.calls(JOBS)).toEqual([]);
    });

    it('detects it for a token from before the permission was removed', async () => {
      grant({ metadata: 'read', actions: 'read' }, { metadata: 'read' });
      fake.server.on(JOBS, REFUSED);
      await expect(jobs()).resolves.toMatchObject({ granted: false });
    });

    it('requests another token first, because the owner may have accepted meanwhile', async () => {
      grant({ metadata: 'read' }, { metadata: 'read' }, { metadata: 'read', actions: 'read' });
      list(jobJson(1));
      await expect(jobs()).resolves.toMatchObject({ granted: false });
      await expect(jobs()).resolves.toEqual({ granted: true, jobs: [jobOf(1)], complete: true });
    });
  });

  describe('if the installation can read Actions', () => {
    beforeEach(() => grant({ metadata: 'read', actions: 'read' }));

    it.each([
      ['a rejection for another reason', REFUSED, 'forbidden'],
      [
        'a limit',
        { status: 403, headers: { 'retry-after': '60' }, json: { message: 'secondary rate limit' } },
        'rate_limited',
      ],
      ['an outage', { status: 502 }, 'unavailable'],
      ['an answer that is no list', { json: { total_count: 0 } }, 'malformed'],
      ['a missing count', { json: { jobs: [] } }, 'malformed'],
    ])('fails, and reports no missing permission: %s', async (_, reply, kind) => {
      fake.server.on(JOBS, reply);
      await expect(jobs()).rejects.toMatchObject({ kind });
    });

    it('returns no jobs for a run that GitHub has deleted', async () => {
      await expect(jobs()).resolves.toEqual({ granted: true, jobs: [], complete: true });
    });

    it('fails as not_found for the run of a repository that is no longer visible', async () => {
      fake.server.on('GET /repos/acme/app', { json: repositoryJson() }, { status: 404 });
      await expect(jobs()).rejects.toMatchObject({ kind: 'not_found' });
    });
  });
});
