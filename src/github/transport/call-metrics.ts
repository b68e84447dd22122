import type { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../../observability/metrics.js';
import { GitHubError } from './github-error.js';
import type { HttpResponse } from './http-exchange.js';

/** Measures each exchange with GitHub. Does not count calls that a budget or a circuit breaker stopped. */
export class CallMetrics {
  private readonly durations: Histogram<'outcome'>;
  private readonly calls: Counter<'route' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.durations = metrics.histogram({
      name: 'shipgate_github_call_duration_seconds',
      help: 'Time of one exchange with GitHub.',
      labels: ['outcome'],
    });
    this.calls = metrics.counter({
      name: 'shipgate_github_calls_total',
      help: 'Exchanges with GitHub by route of its REST API.',
      labels: ['route', 'outcome'],
    });
  }

  /** `route` is the pattern of GitHub's documentation, so that names of repositories create no time series. */
  async measure(route: string, exchange: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const startedAt = performance.now();
    const count = (outcome: string): void => {
      this.durations.observe({ outcome }, (performance.now() - startedAt) / 1_000);
      this.calls.inc({ route, outcome });
    };
    try {
      const response = await exchange();
      count(String(response.status));
      return response;
    } catch (error) {
      count(error instanceof GitHubError ? error.kind : 'unexpected');
      throw error;
    }
  }
}
