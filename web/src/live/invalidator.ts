import type { QueryClient, QueryKey } from '@tanstack/react-query';

const PAUSE_MS = 2_000;
/** A release is read from many tables, so its queries wait longer. */
const RELEASE_PAUSE_MS = 5_000;

const getPause = ([noun]: QueryKey): number => (noun === 'release' ? RELEASE_PAUSE_MS : PAUSE_MS);

/**
 * Makes queries outdated, at most once per pause for each key: the first time at once, later times together at the end of the pause. So a
 * busy workspace costs one tab a bounded number of requests.
 */
export class Invalidator {
  /** The keys that were invalidated lately. The value says whether they became outdated again since. */
  private readonly recent = new Map<string, boolean>();

  constructor(
    private readonly client: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>,
    private readonly runLater: (run: () => void, ms: number) => unknown = (run, ms) => setTimeout(run, ms),
  ) {}

  invalidate(queryKey: QueryKey): void {
    const name = JSON.stringify(queryKey);
    if (this.recent.has(name)) {
      this.recent.set(name, true);
      return;
    }
    this.recent.set(name, false);
    // A query that loads now may have been answered before the change. It is read once more afterwards.
    if (this.client.isFetching({ queryKey }) > 0) this.recent.set(name, true);
    else void this.client.invalidateQueries({ queryKey });
    this.runLater(() => {
      const isOutdated = this.recent.get(name) === true;
      this.recent.delete(name);
      if (isOutdated) this.invalidate(queryKey);
    }, getPause(queryKey));
  }
}
