import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { AudienceResult, FollowCommand } from '../events/audience.js';
import { createFollowers, INSERT_EVENT, STREAMS_PER_USER } from '../events/followers.js';
import type { GateSubject } from '../gate/gate-requests.js';
import { populate, type Population } from '../gate/population.js';
import type { BenchServer } from '../measuring/bench-server.js';
import { Child } from '../measuring/child.js';
import type { Measurement } from '../measuring/load.js';
import type { RoundOrder, RoundResult } from '../measuring/load-orders.js';
import type { Measured } from '../measuring/report.js';
import type { Listening } from '../measuring/served.js';
import type { Usage } from './servers/shipgate.js';

const POPULATION: Population = { organizations: 50, repositories: 5, releases: 10 };
const SUBJECT: GateSubject = { population: POPULATION, signer: null };
const POOL_SIZE = '8';
const EVENT_EVERY_MS = 1_000;

/** A process of the service with this many open dashboards. */
export interface Audience extends Measured {
  readonly streams: number;
  /** Processor time without a request of the gate, in milliseconds per second. */
  readonly idleMs: number;
  readonly residentBytes: number;
}

export interface AudienceSettings {
  readonly streams: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly idleMs: number;
}

class Service {
  readonly rounds: Measurement[] = [];

  private constructor(
    private readonly process: Child,
    readonly port: number,
  ) {}

  static async start(databaseUrl: string): Promise<Service> {
    const module = new URL('servers/shipgate.js', import.meta.url);
    const child = new Child(module, [databaseUrl, POOL_SIZE], ['--expose-gc']);
    const { port } = await child.next<Listening>();
    return new Service(child, port);
  }

  async usage(): Promise<Usage> {
    this.process.send({});
    return this.process.next<Usage>();
  }

  async requestGate(generator: Child, durationMs: number): Promise<void> {
    const order = { connections: 16, warmUpMs: 500, durationMs, port: this.port, subject: SUBJECT };
    generator.send(order satisfies RoundOrder<GateSubject>);
    const result = await generator.next<RoundResult>();
    if ('failed' in result) throw new Error(result.failed);
    this.rounds.push(result.measured);
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}

/**
 * Compares two processes of the service, in turns: one with the streams of open dashboards and one without. Each second an event is
 * sent to all dashboards. The reads of the pages after an event are not included.
 */
export async function compareAudiences(
  server: BenchServer,
  { streams, rounds, durationMs, idleMs }: AudienceSettings,
): Promise<readonly Audience[]> {
  let cookies: readonly string[] = [];
  const { runtimeUrl, superuserUrl } = await server.createDatabase('dashboards', async (url) => {
    await populate(url, POPULATION);
    cookies = await createFollowers(url, streams / STREAMS_PER_USER);
  });
  const children: { stop(): Promise<void> }[] = [];
  const stopLater = <One extends { stop(): Promise<void> }>(one: One): One => {
    children.push(one);
    return one;
  };
  const events = new Client({ connectionString: superuserUrl });
  await events.connect();
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    const generator = stopLater(new Child(new URL('../gate/load-generator.js', import.meta.url)));
    const audience = stopLater(new Child(new URL('../events/audience.js', import.meta.url)));
    const services = [stopLater(await Service.start(runtimeUrl)), stopLater(await Service.start(runtimeUrl))] as const;
    for (const service of services) await service.requestGate(generator, durationMs);
    const all = Array.from({ length: streams }, (_, at) => cookies[at % cookies.length] ?? '');
    audience.send({ follow: { port: services[0].port, cookies: all } } satisfies FollowCommand);
    const followed = await audience.next<AudienceResult>();
    if ('failed' in followed) throw new Error(followed.failed);
    timer = setInterval(() => void events.query(INSERT_EVENT), EVENT_EVERY_MS);
    const before = await Promise.all(services.map((service) => service.usage()));
    await sleep(idleMs);
    const after = await Promise.all(services.map((service) => service.usage()));
    // The rounds before the streams were opened compiled hot code.
    for (const service of services) service.rounds.length = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const service of services) await service.requestGate(generator, durationMs);
    }
    return services.map((service, at) => ({
      name: at === 0 ? `${streams} open dashboards` : 'no open dashboard',
      streams: at === 0 ? streams : 0,
      rounds: service.rounds,
      idleMs: ((after[at]?.micros ?? 0) - (before[at]?.micros ?? 0)) / idleMs,
      residentBytes: after[at]?.residentBytes ?? 0,
    }));
  } finally {
    clearInterval(timer);
    await Promise.all(children.map((child) => child.stop()));
    await events.end();
  }
}
