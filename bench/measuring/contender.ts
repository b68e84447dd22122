import { Child } from './child.js';
import type { Measurement } from './load.js';
import type { RoundOrder, RoundResult } from './load-orders.js';
import type { Listening, ServerOrder } from './served.js';

/** A server of a comparison in its own process. */
export class Contender<Subject> {
  readonly rounds: Measurement[] = [];
  readonly #server: Child;
  readonly port: number;

  private constructor(
    readonly name: string,
    private readonly subject: Subject,
    server: Child,
    port: number,
  ) {
    this.#server = server;
    this.port = port;
  }

  /** `subject` defines the requests that the load generator sends. */
  static async start<Subject>(
    name: string,
    module: URL,
    subject: Subject,
    { databaseUrl, poolSize }: ServerOrder,
  ): Promise<Contender<Subject>> {
    const server = new Child(module, [databaseUrl, String(poolSize)]);
    const { port } = await server.next<Listening>();
    return new Contender(name, subject, server, port);
  }

  /** Returns a contender for the same server with other requests and its own measurements. */
  as<Other>(name: string, subject: Other): Contender<Other> {
    return new Contender(name, subject, this.#server, this.port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Runs one round with the generator and saves the measurement. */
  async run(generator: Child, settings: Omit<RoundOrder<Subject>, 'port' | 'subject'>): Promise<void> {
    generator.send({ ...settings, port: this.port, subject: this.subject } satisfies RoundOrder<Subject>);
    const result = await generator.next<RoundResult>();
    if ('failed' in result) throw new Error(`${this.name}: ${result.failed}`);
    this.rounds.push(result.measured);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
