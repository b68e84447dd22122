import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../../../test/support/set-clock.js';
import type { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { FactKey } from '../../../domain/facts/facts.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import type { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { type LiveFactsQueries, LiveRefreshService } from './live-refresh.service.js';

const ACME = 'acme' as OrgId;
const POLICY: FactKey = { kind: 'policy', key: '' };
const CHECKS: FactKey = { kind: 'checks', key: 'b'.repeat(40) };
/** More than are looked at of a workspace at once. */
const MANY = 30;

describe('a live look', () => {
  let clock: FixedClock;
  let looks: LiveRefreshService;
  /** What was not seen a moment ago, by each question for it; none once they are used up. */
  let unseen: (readonly FactKey[])[];
  /** The facts that GitHub was asked for whatever their age, by round. */
  let asked: (readonly FactKey[])[];
  let failures: readonly GitHubError[];
  let answered: Promise<void>;

  beforeEach(() => {
    clock = new FixedClock();
    [unseen, asked, failures, answered] = [[], [], [], Promise.resolve()];
    const database = { inTenant: async (_: OrgId, work: (tx: null) => Promise<unknown>) => work(null) };
    const facts = { listSeenBefore: async () => unseen.shift() ?? [] };
    const refresh: Pick<ReleaseRefreshService, 'refresh'> = {
      refresh: async (_, __, ___, options) => {
        asked.push(options?.hints ?? []);
        await answered;
        return { evaluation: null, failures };
      },
    };
    const repos = { findByRelease: async () => ({ ref: {} }) };
    looks = new LiveRefreshService(
      database as unknown as Database,
      facts as unknown as LiveFactsQueries,
      refresh as ReleaseRefreshService,
      repos as unknown as RepositoriesRepository,
      clock,
    );
  });

  const useUp = async (): Promise<void> => {
    unseen = Array.from({ length: 2 * MANY }, (_, at) => (at % 2 === 0 ? [POLICY] : []));
    for (let look = 0; look < MANY; look += 1) await looks.refresh(ACME, `v${look}`);
    [unseen, asked] = [[[POLICY]], []];
  };

  it('follows what it reads to what the verdict rests on then, and asks for nothing twice', async () => {
    unseen = [[POLICY], [POLICY, CHECKS], [POLICY, CHECKS]];
    expect(await looks.refresh(ACME, 'release')).toEqual({ status: 'verified', reason: null, isReached: true });
    expect(asked).toEqual([[POLICY], [CHECKS]]);
  });

  it('reads what is too old and nothing else while the workspace looks at so much that gates would wait', async () => {
    await useUp();
    expect(await looks.refresh(ACME, 'release')).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('So many releases are looked at'),
    });
    expect(asked).toEqual([[]]);
    unseen = [[POLICY]];
    expect(await looks.refresh('another' as OrgId, 'release')).toMatchObject({ status: 'verified' });
    clock.advance(60_000);
    unseen = [[POLICY]];
    expect(await looks.refresh(ACME, 'release')).toMatchObject({ status: 'verified' });
  });

  it('is what a job tries again until all of it was asked for', async () => {
    await useUp();
    await expect(looks.refreshOrThrow(ACME, 'release', 'refresh')).rejects.toThrow('So many releases are looked at');
    clock.advance(60_000);
    unseen = [[POLICY]];
    await expect(looks.refreshOrThrow(ACME, 'release', 'refresh')).resolves.toBeUndefined();
    failures = [new GitHubError('unavailable', 'away')];
    await expect(looks.refreshOrThrow(ACME, 'release', 'refresh')).rejects.toThrow('away');
  });

  it.each([
    ['unavailable', 'GitHub does not answer now: what it said before may be out of date.'],
    ['forbidden', 'GitHub does not let the app read all that the release rests on.'],
  ] as const)('says what it means that facts are %s', async (kind, reason) => {
    failures = [new GitHubError(kind, 'no')];
    expect(await looks.refresh(ACME, 'release')).toEqual({ status: 'unknown', reason, isReached: true });
  });

  it('waits as long as a person does, and goes on for who comes later', async () => {
    let answer: () => void = () => undefined;
    answered = new Promise((resolve) => (answer = resolve));
    const patience = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
    const look = looks.refresh(ACME, 'release');
    patience.abort();
    expect(await look).toMatchObject({ status: 'unknown', reason: 'GitHub did not tell all of it within 3 seconds.' });
    expect(timeout.mock.calls).toEqual([[3_000]]);
    timeout.mockRestore();
    const later = looks.refresh(ACME, 'release');
    answer();
    expect([await later, asked.length]).toMatchObject([{ status: 'verified' }, 1]);
  });
});
