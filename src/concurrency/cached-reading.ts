/**
 * Returns a function that reads at most once in `milliseconds` and shares each result. A failed read is not cached. A read that hangs
 * is shared for the same time.
 */
export function cachedReading<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let startedAt = 0;
  return async () => {
    const now = performance.now();
    if (latest === null || now - startedAt >= milliseconds) {
      const reading = read();
      latest = reading;
      startedAt = now;
      reading.catch(() => {
        if (latest === reading) latest = null;
      });
    }
    return latest;
  };
}
