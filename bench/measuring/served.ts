/** What a server of the comparison is told on its command line, and what it sends back once it listens. */
export interface ServerOrder {
  readonly databaseUrl: string;
  readonly poolSize: number;
}

export interface Listening {
  readonly port: number;
}

export function readOrder(): ServerOrder {
  const [databaseUrl, poolSize] = process.argv.slice(2);
  if (databaseUrl === undefined || poolSize === undefined) throw new TypeError('A URL and a pool size are wanted.');
  return { databaseUrl, poolSize: Number(poolSize) };
}

export function reportListening(address: unknown): void {
  const { port } = address as { port: number };
  process.send?.({ port } satisfies Listening);
}

/** What a server answers to a message that asks how much memory it holds. */
export interface Memory {
  readonly residentBytes: number;
}

/** Answers whoever asks, after what is garbage was collected where the process was started so that it can be. */
export function answerMemory(): void {
  process.on('message', () => {
    globalThis.gc?.();
    process.send?.({ residentBytes: process.memoryUsage.rss() } satisfies Memory);
  });
}
