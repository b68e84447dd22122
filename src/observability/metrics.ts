import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

interface MetricDescription<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** From a cached 404 to a gate that waits its three seconds for the code host. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** The numbers of this process, for Prometheus. Labels are always of a small closed set, never of what a caller wrote. */
@Injectable()
export class Metrics implements OnModuleDestroy {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'shipgate_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** `route` is the pattern (`/api/milestones/:id`), so that ids make no series of their own. */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** A number that only grows. */
  counter<Label extends string>({ name, help, labels }: MetricDescription<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** A number that is read whenever somebody looks; a reading that fails leaves it out. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        try {
          gauge.set(await read());
        } catch {
          gauge.remove();
        }
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Every number, in the text format of Prometheus. */
  async print(): Promise<string> {
    return this.registry.metrics();
  }

  onModuleDestroy(): void {
    this.registry.clear();
  }
}
