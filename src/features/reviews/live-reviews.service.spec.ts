import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import type { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { FactKey } from '../../domain/facts/facts.js';
import { GitHubError } from '../../github/transport/github-error.js';
import type { RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import type { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import type { FactReaderService } from '../releases/facts/fact-reader.service.js';
import type { FactsService } from '../releases/facts/facts.service.js';
import type { ObservationsRepository } from '../releases/facts/observations.repository.js';
import { LiveReviewsService } from './live-reviews.service.js';
import type { ReviewsQueries } from './reviews.queries.js';

const ACME = 'acme' as OrgId;
const MARA = { userId: 77, login: 'mara' };
/** More facts than the budget allows at once. */
const MANY = Array.from({ length: 400 }, (_, at) => String(at + 1));

describe('live reviews', () => {
  let clock: FixedClock;
  let live: LiveReviewsService;
  let requested: FactKey[];
  let deadline: AbortController;
  let timeout: jest.SpiedFunction<typeof AbortSignal.timeout>;
  let isAway: boolean;

  beforeEach(() => {
    clock = new FixedClock();
    [requested, deadline, isAway] = [[], new AbortController(), false];
    timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => deadline.signal);
    const database = { inTenant: async (_: OrgId, work: (tx: null) => Promise<unknown>) => work(null) };
    const releases = {
      listReleasesWithBranches: async (_: unknown, ids: readonly string[]) =>
        ids.map((id) => ({ id, repositoryId: 'repository', pull: { number: Number(id) }, branches: { prefixes: [] } })),
    };
    const observer = {
      read: async (_: unknown, expected: readonly FactKey[], { signal }: { signal: AbortSignal }) => {
        requested.push(...expected);
        if (isAway) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw new GitHubError('timeout', 'the caller stopped waiting');
        }
        return { observations: [], failures: [] };
      },
    };
    live = new LiveReviewsService(
      database as unknown as Database,
      releases as unknown as ReviewsQueries,
      { find: async () => null } as unknown as ObservationsRepository,
      { find: async () => ({ ref: {} }) } as unknown as RepositoriesRepository,
      observer as unknown as FactReaderService,
      { saveAndInvalidate: async () => undefined } as unknown as FactsService,
      {} as ReleaseRefreshService,
      clock,
    );
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('read each fact once, also if several releases use it', async () => {
    await live.refresh(ACME, MARA, ['1', '2'], 'list');
    expect(requested.map(({ kind, key }) => `${kind}:${key}`).sort()).toEqual([
      'permission:mara',
      'policy:',
      'pull:1',
      'pull:2',
    ]);
  });

  it('end at the deadline, even if reads are outstanding', async () => {
    isAway = true;
    const refresh = live.refresh(ACME, MARA, MANY, 'list');
    setImmediate(() => deadline.abort());
    expect(await refresh).toEqual(clock.now());
    expect(requested).toHaveLength(8);
    expect(timeout).toHaveBeenCalledWith(3_000);
  });

  it('share one read between concurrent calls of the same user', async () => {
    await Promise.all([live.refresh(ACME, MARA, ['1'], 'list'), live.refresh(ACME, MARA, ['1'], 'list')]);
    expect(requested).toHaveLength(3);
  });

  it('of a list use a limited budget, and leave calls for gates and for single releases', async () => {
    await live.refresh(ACME, MARA, MANY, 'list');
    expect(requested).toHaveLength(300);
    requested = [];
    await live.refresh(ACME, MARA, ['1'], 'list');
    expect(requested).toEqual([]);
    await live.refresh(ACME, MARA, ['1'], 'release');
    await live.refresh('another' as OrgId, MARA, ['1'], 'list');
    expect(requested).toHaveLength(6);
    requested = [];
    clock.advance(1_000);
    await live.refresh(ACME, MARA, ['1'], 'list');
    expect(requested).toHaveLength(2);
  });
});
