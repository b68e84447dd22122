import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../../../test/support/fixed-clock.js';
import type { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { FactKey } from '../../../domain/facts/facts.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import type { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { LiveRefreshService } from './live-refresh.service.js';
import { type LiveFactsQueries } from './live-facts.queries.js';

const ACME = 'acme' as OrgId;
const POLICY: FactKey = { kind: 'policy', key: '' };
const CHECKS: FactKey = { kind: 'checks', key: 'b'.repeat(40) };
/** More releases than the budget of a workspace allows at once. */
const MANY = 30;

describe('a live refresh', () => {
  let clock: FixedClock;
  let refreshes: LiveRefreshService;
  /** The results of `listSeenBefore`, one per call; an empty list once they are used up. */
  let unread: (readonly FactKey[])[];
  /** The facts that each refresh was requested to read regardless of their age. */
  let requested: (readonly FactKey[])[];
  let failures: readonly GitHubError[];
  let answered: Promise<void>;

  beforeEach(() => {
    clock = new FixedClock();
    [unread, requested, failures, answered] = [[], [], [], Promise.resolve()];
    const database = { inTenant: async (_: OrgId, work: (tx: null) => Promise<unknown>) => work(null) };
    const facts = { listSeenBefore: async () => unread.shift() ?? [] };
    const refresh: Pick<ReleaseRefreshService, 'refresh'> = {
      refresh: async (_, __, ___, options) => {
        requested.push(options?.hints ?? []);
        await answered;
        return { evaluation: null, failures };
      },
    };
    const repos = { findByRelease: async () => ({ ref: {} }) };
    refreshes = new LiveRefreshService(
      database as unknown as Database,
      facts as unknown as LiveFactsQueries,
      refresh as ReleaseRefreshService,
      repos as unknown as RepositoriesRepository,
      clock,
    );
  });

  const consumeBudget = async (): Promise<void> => {
    unread = Array.from({ length: 2 * MANY }, (_, at) => (at % 2 === 0 ? [POLICY] : []));
    for (let refresh = 0; refresh < MANY; refresh += 1) await refreshes.refresh(ACME, `v${refresh}`);
    [unread, requested] = [[[POLICY]], []];
  };

  it('reads the facts that the new verdict uses, and reads no fact twice', async () => {
    unread = [[POLICY], [POLICY, CHECKS], [POLICY, CHECKS]];
    expect(await refreshes.refresh(ACME, 'release')).toEqual({ status: 'verified', reason: null, isReached: true });
    expect(requested).toEqual([[POLICY], [CHECKS]]);
  });

  it('reads only stale facts while the budget of the workspace is used up', async () => {
    await consumeBudget();
    expect(await refreshes.refresh(ACME, 'release')).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('Too many releases are being refreshed'),
    });
    expect(requested).toEqual([[]]);
    unread = [[POLICY]];
    expect(await refreshes.refresh('another' as OrgId, 'release')).toMatchObject({ status: 'verified' });
    clock.advance(60_000);
    unread = [[POLICY]];
    expect(await refreshes.refresh(ACME, 'release')).toMatchObject({ status: 'verified' });
  });

  it('fails in a job until all facts were requested', async () => {
    await consumeBudget();
    await expect(refreshes.refreshOrThrow({ orgId: ACME, releaseId: 'release' })).rejects.toThrow(
      'Too many releases are being refreshed',
    );
    clock.advance(60_000);
    unread = [[POLICY]];
    await expect(refreshes.refreshOrThrow({ orgId: ACME, releaseId: 'release' })).resolves.toBeUndefined();
    failures = [new GitHubError('unavailable', 'away')];
    await expect(refreshes.refreshOrThrow({ orgId: ACME, releaseId: 'release' })).rejects.toThrow('away');
  });

  it.each([
    ['unavailable', 'GitHub does not answer now, so the stored facts may be out of date.'],
    ['forbidden', 'GitHub does not let the app read all facts of the release.'],
  ] as const)('reports the reason when facts are %s', async (kind, reason) => {
    failures = [new GitHubError(kind, 'no')];
    expect(await refreshes.refresh(ACME, 'release')).toEqual({ status: 'unknown', reason, isReached: true });
  });

  it('stops waiting at the deadline, and continues for later callers', async () => {
    let answer: () => void = () => undefined;
    answered = new Promise((resolve) => (answer = resolve));
    const deadline = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const refresh = refreshes.refresh(ACME, 'release');
    deadline.abort();
    expect(await refresh).toMatchObject({
      status: 'unknown',
      reason: 'GitHub did not return all facts within 3 seconds.',
    });
    expect(timeout.mock.calls).toEqual([[3_000]]);
    timeout.mockRestore();
    const later = refreshes.refresh(ACME, 'release');
    answer();
    expect([await later, requested.length]).toMatchObject([{ status: 'verified' }, 1]);
  });
});
