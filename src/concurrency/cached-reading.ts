/**
 * Returns a function that reads at most once in `milliseconds` and shares each reading. A failed reading is not kept. A reading that hangs
 * is shared for that long, too.
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
