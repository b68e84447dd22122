import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

const PAUSE_MS = 2_000;
/** A release is read from many tables, so its queries wait longer. */
const RELEASE_PAUSE_MS = 3_000;

const getPause = ([noun]: QueryKey): number => (noun === 'release' ? RELEASE_PAUSE_MS : PAUSE_MS);

/**
 * Makes queries outdated, at most once per pause for each key: the first time at once, later times together at the end of the pause. So a
 * busy workspace costs one tab a bounded number of requests.
 */
export class Invalidator {
  /** The keys that were invalidated lately. The value says whether they became outdated again since. */
  private readonly recent = new Map<string, boolean>();
  /** The queries whose running read is to be repeated. */
  private readonly repeated = new Set<Query>();

  constructor(
    private readonly client: QueryClient,
    private readonly runLater: (run: () => void, ms: number) => unknown = (run, ms) => setTimeout(run, ms),
  ) {}

  invalidate(queryKey: QueryKey): void {
    const name = JSON.stringify(queryKey);
    if (this.recent.has(name)) {
      this.recent.set(name, true);
      return;
    }
    this.recent.set(name, false);
    // A read that runs now may have been answered before the change. It is repeated as soon as it ends.
    const reading = this.client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
    void this.client.invalidateQueries({ queryKey, predicate: (query) => !reading.includes(query) });
    for (const query of reading) this.repeat(query);
    this.runLater(() => {
      const isOutdated = this.recent.get(name) === true;
      this.recent.delete(name);
      if (isOutdated) this.invalidate(queryKey);
    }, getPause(queryKey));
  }

  /** Repeats a running read once, whatever number of events comes before it ends. */
  private repeat(query: Query): void {
    if (this.repeated.has(query)) return;
    this.repeated.add(query);
    const stop = this.client.getQueryCache().subscribe(({ type, query: changed }) => {
      if (changed !== query || (type !== 'removed' && query.state.fetchStatus === 'fetching')) return;
      stop();
      this.repeated.delete(query);
      void this.client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    });
  }
}
