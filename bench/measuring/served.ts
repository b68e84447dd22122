/** The command-line arguments of a server of the comparison, and its message when it listens. */
export interface ServerOrder {
  readonly databaseUrl: string;
  readonly poolSize: number;
}

export interface Listening {
  readonly port: number;
}

export function readOrder(): ServerOrder {
  const [databaseUrl, poolSize] = process.argv.slice(2);
  if (databaseUrl === undefined || poolSize === undefined) throw new TypeError('A URL and a pool size are required.');
  return { databaseUrl, poolSize: Number(poolSize) };
}

export function reportListening(address: unknown): void {
  const { port } = address as { port: number };
  process.send?.({ port } satisfies Listening);
}

/** The answer of a server to a request for its memory use. */
export interface Memory {
  readonly residentBytes: number;
}

/** Answers every message with the memory use, after a garbage collection if the process was started with `--expose-gc`. */
export function answerMemory(): void {
  process.on('message', () => {
    globalThis.gc?.();
    process.send?.({ residentBytes: process.memoryUsage.rss() } satisfies Memory);
  });
}
