import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import pTimeout from 'p-timeout';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

interface MetricDescription<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** One value of a gauge with labels. */
export interface LabeledValue<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** From a cached 404 to a gate that waits three seconds for GitHub. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/**
 * Less than the ten seconds for which Prometheus waits, so that a scrape returns the other metrics while the database is unavailable.
 * Longer than the time limit of the readiness checks.
 */
const READ_TIMEOUT_MS = 3_000;

/** The Prometheus metrics of this process. Labels come from small fixed sets, never from input of a caller. */
@Injectable()
export class Metrics implements OnModuleDestroy {
  private readonly registry = new Registry();
  private readonly requests = this.histogram({
    name: 'shipgate_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labels: ['method', 'route', 'status'],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts a request. `route` is the pattern (`/api/milestones/:id`), so that ids create no series. */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** Starts to count requests with these statuses at zero. Without that, an alert on an increase would miss the first one. */
  startAtZero(method: string, route: string, statuses: readonly number[]): void {
    for (const status of statuses) this.requests.zero({ method, route, status });
  }

  /** Creates a counter. */
  counter<Label extends string>({ name, help, labels }: MetricDescription<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** Creates a histogram of seconds. */
  histogram<Label extends string>(
    { name, help, labels }: MetricDescription<Label>,
    buckets: readonly number[] = SECONDS_BUCKETS,
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] });
  }

  /** Creates a gauge that is read at each scrape. A read that fails or takes too long leaves it out. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    this.labeledGauge({ name, help, labels: [] }, async () => [{ labels: {}, value: await read() }]);
  }

  /** Creates a gauge with labels that is read at each scrape. A read that fails or takes too long leaves it out. */
  labeledGauge<Label extends string>(
    { name, help, labels }: MetricDescription<Label>,
    read: () => Promise<readonly LabeledValue<Label>[]>,
  ): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      async collect() {
        const values = await pTimeout(read(), { milliseconds: READ_TIMEOUT_MS }).catch(() => []);
        gauge.reset();
        // A gauge without labels is 0 after a reset.
        if (labels.length === 0 && values.length === 0) gauge.remove();
        for (const { labels: of, value } of values) gauge.set(of, value);
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
