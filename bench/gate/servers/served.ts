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
