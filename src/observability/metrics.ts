import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

interface MetricDescription<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** From a cached 404 to a gate that waits three seconds for GitHub. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** The Prometheus metrics of this process. Labels come from small fixed sets, never from input of a caller. */
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

  /** Counts a request. `route` is the pattern (`/api/milestones/:id`), so that ids create no series. */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** Creates a counter. */
  counter<Label extends string>({ name, help, labels }: MetricDescription<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** Creates a gauge that is read at each scrape. A failed read leaves it out. */
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

  /** Returns all metrics in the text format of Prometheus. */
  async print(): Promise<string> {
    return this.registry.metrics();
  }

  onModuleDestroy(): void {
    this.registry.clear();
  }
}
