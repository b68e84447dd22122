import { Injectable } from '@nestjs/common';
import { GitHubGateway } from '../../github/github-gateway.js';
import { Metrics } from '../../observability/metrics.js';

/** What GitHub still allows, and whether it answers: of all installations the one that has the least left. */
@Injectable()
export class GitHubBudgetMetrics {
  constructor(github: GitHubGateway, metrics: Metrics) {
    metrics.gauge('shipgate_github_calls_left', 'The smallest budget of calls that is left.', async () =>
      Math.min(...github.budgets().flatMap(({ remaining }) => remaining ?? [])),
    );
    metrics.gauge(
      'shipgate_github_budgets_closed',
      'Budgets in which GitHub asked for a pause.',
      async () => github.budgets().filter(({ closedUntil }) => closedUntil !== null).length,
    );
    metrics.gauge(
      'shipgate_github_circuits_open',
      'Budgets on which GitHub does not answer, so that no call is made or one tries.',
      async () => github.budgets().filter(({ circuit }) => circuit.state !== 'closed').length,
    );
    metrics.gauge('shipgate_github_calls_waiting', 'Calls to GitHub that wait for their turn.', async () =>
      github.budgets().reduce((sum, { waiting }) => sum + waiting, 0),
    );
  }
}
