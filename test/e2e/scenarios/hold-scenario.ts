import type { Sha } from '../../github-sim/git/git-object.js';
import type { Environment } from '../../github-sim/state/environments.js';
import type { WorkflowRun } from '../../github-sim/state/workflow-runs.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { RepositoryScenario, type ScenarioSpec } from './repository-scenario.js';

export const VERSION = 'v1.0.0';

/** An answer or a report that the service sent, with GitHub's status. */
interface SentReview {
  readonly state: string;
  readonly comment: string;
  readonly status: number;
}

/** A repository whose environment `production` has the protection rule of the service. */
export class HoldScenario extends RepositoryScenario {
  readonly production: Environment;

  constructor(env: TestEnvironment, spec: ScenarioSpec) {
    super(env, spec);
    this.production = this.repository.environments.create('production');
    this.production.enable(env.githubApp);
  }

  /** A run whose jobs need the environment. */
  request(sha: Sha, { jobs = ['deploy'], environment = 'production' } = {}): WorkflowRun {
    const run = this.workflow(sha, ...jobs);
    for (const job of jobs) run.holds.request(job, environment);
    return run;
  }

  /** The answers and reports that the service sent to GitHub about the run, in order. */
  reviews({ id }: WorkflowRun): readonly SentReview[] {
    const path = `/repos/${this.repository.fullName}/actions/runs/${id}/deployment_protection_rule`;
    return this.env.exchanges
      .filter((exchange) => exchange.method === 'POST' && exchange.path === path)
      .map(({ requestBody, status }) => {
        const { state = 'report', comment } = requestBody as { readonly state?: string; readonly comment: string };
        return { state, comment, status };
      });
  }

  /** The answers that the service sent, without its reports. */
  answers(run: WorkflowRun): readonly string[] {
    return this.reviews(run).flatMap(({ state }) => (state === 'report' ? [] : [state]));
  }

  /** The states of the run's holds in the service, oldest first. */
  async states({ id }: WorkflowRun): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ readonly state: string }>(
      `select state from deployment_hold where run_id = ${id} order by requested_at, id`,
    );
    return rows.map(({ state }) => state);
  }

  /** The kinds of the recorded deployments. */
  async kinds(): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ readonly kind: string }>(
      `select kind from deployment_record h join repository p on p.id = h.repository_id
       where p.github_id = ${this.repository.id} order by h.recorded_at`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** The jobs that were let go run to their end. */
  async finish(run: WorkflowRun): Promise<void> {
    run.holds.finish();
    await this.env.waitUntilIdle();
  }

  /** The reviewer approves the evidence, so that the gate opens. */
  async open(version = VERSION): Promise<void> {
    this.approve(version);
    await this.env.waitUntilIdle();
  }

  /** The reviewer takes the approval back, so that the gate closes. */
  async close(version = VERSION): Promise<void> {
    const pull = this.evidencePull(version);
    this.repository.pulls.reviews.submit(pull, { by: this.reviewer, state: 'CHANGES_REQUESTED', body: 'No.' });
    await this.env.waitUntilIdle();
  }
}
