import { Injectable } from '@nestjs/common';
import { GitHubGateway } from '../../github/github-gateway.js';
import { Metrics } from '../../observability/metrics.js';

/** Reports the rate limits and circuit breakers of GitHub calls: the minimum over all installations. */
@Injectable()
export class GitHubBudgetMetrics {
  constructor(github: GitHubGateway, metrics: Metrics) {
    metrics.gauge('shipgate_github_calls_left', 'The smallest budget of calls that is left.', async () =>
      Math.min(...github.budgets().flatMap(({ remaining }) => remaining ?? [])),
    );
    metrics.gauge(
      'shipgate_github_budgets_closed',
      'Budgets in which GitHub requested a pause.',
      async () => github.budgets().filter(({ closedUntil }) => closedUntil !== null).length,
    );
    metrics.gauge(
      'shipgate_github_circuits_open',
      'Budgets with an open or half-open circuit breaker, because GitHub does not answer.',
      async () => github.budgets().filter(({ circuit }) => circuit.state !== 'closed').length,
    );
    metrics.gauge('shipgate_github_calls_waiting', 'Calls to GitHub that wait for their turn.', async () =>
      github.budgets().reduce((sum, { waiting }) => sum + waiting, 0),
    );
  }
}
