import { Child } from './child.js';
import type { RoundOrder, RoundResult } from './load-generator.js';
import type { Measurement } from './load.js';
import type { Population } from './population.js';
import type { Listening } from './servers/served.js';

/** One server of the comparison, in a process of its own. */
export class Contender {
  readonly rounds: Measurement[] = [];
  readonly #server: Child;
  readonly #port: number;

  private constructor(
    readonly name: string,
    private readonly population: Population,
    server: Child,
    port: number,
  ) {
    this.#server = server;
    this.#port = port;
  }

  static async start(
    name: string,
    module: URL,
    population: Population,
    databaseUrl: string,
    poolSize: number,
  ): Promise<Contender> {
    const server = new Child(module, [databaseUrl, String(poolSize)]);
    const { port } = await server.next<Listening>();
    return new Contender(name, population, server, port);
  }

  /** Lets the generator ask for one round, and keeps what it measured. */
  async run(generator: Child, settings: Omit<RoundOrder, 'port' | 'population'>): Promise<void> {
    generator.send({ ...settings, port: this.#port, population: this.population } satisfies RoundOrder);
    const result = await generator.next<RoundResult>();
    if ('failed' in result) throw new Error(`${this.name}: ${result.failed}`);
    this.rounds.push(result.measured);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
