import { Injectable } from '@nestjs/common';
import { GitHubGateway } from '../../github/github-gateway.js';
import { Metrics } from '../../observability/metrics.js';

/** What the code host still allows, for whoever watches it: of all installations the one that has the least left. */
@Injectable()
export class BudgetGauges {
  constructor(github: GitHubGateway, metrics: Metrics) {
    metrics.gauge('shipgate_github_calls_left', 'The smallest budget of calls that is left.', async () =>
      Math.min(...github.budget().flatMap(({ remaining }) => remaining ?? [])),
    );
    metrics.gauge(
      'shipgate_github_budgets_closed',
      'Budgets in which the code host asked for a pause.',
      async () => github.budget().filter(({ closedUntil }) => closedUntil !== null).length,
    );
  }
}
