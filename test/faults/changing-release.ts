import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { Issue } from '../github-sim/state/issues.js';
import type { TestEnvironment } from '../support/test-environment.js';
import { VERSION } from './release-outcome.js';
import type { RandomOrder } from './random-order.js';
import type { ShuffledDeliveries } from './shuffled-deliveries.js';

/** The part of the state on GitHub that changes back and forth. */
export interface GitHubState {
  readonly issueOpen: boolean;
  readonly approved: boolean;
  readonly buildGreen: boolean;
}

const POLICY = `version: v1
stages:
  testing: { required_checks: [build] }
  evidencing:
    required_evidence: [{ kind: unit_tests }]
`;

/** Every possible state. */
export const GITHUB_STATES: readonly GitHubState[] = [true, false].flatMap((issueOpen) =>
  [true, false].flatMap((approved) => [true, false].map((buildGreen) => ({ issueOpen, approved, buildGreen }))),
);

/** A release whose gate was open, and whose state on GitHub changes. */
export class ChangingRelease {
  private state: GitHubState = { issueOpen: false, approved: true, buildGreen: true };

  private constructor(
    readonly repo: RepositoryScenario,
    private readonly issue: Issue,
  ) {}

  static async open(env: TestEnvironment, name: string): Promise<ChangingRelease> {
    const repo = new RepositoryScenario(env, { name, sdlc: POLICY });
    const { issues } = repo.repository;
    const issue = issues.create({ title: 'Rounding', milestone: repo.milestone(VERSION) });
    issues.close(issue);
    repo.commit();
    const release = new ChangingRelease(repo, issue);
    release.build('success');
    await env.waitUntilIdle();
    await repo.test(VERSION, repo.head());
    repo.approve(VERSION);
    await env.waitUntilIdle();
    return release;
  }

  get now(): GitHubState {
    return this.state;
  }

  /** Changes one part of the state, or only the title of the issue, by random choice. */
  async change(post: ShuffledDeliveries, random: RandomOrder): Promise<void> {
    const [what] = random.shuffle(['issueOpen', 'approved', 'buildGreen', null] as const);
    if (what === undefined || what === null) await post.after(() => this.retitle(random));
    else await this.become({ ...this.state, [what]: !this.state[what] }, post);
  }

  /** Changes the state on GitHub to the requested one. */
  async become(requested: GitHubState, post: ShuffledDeliveries): Promise<void> {
    const { state } = this;
    const { issues } = this.repo.repository;
    this.state = requested;
    if (requested.issueOpen !== state.issueOpen) {
      await post.after(() => (requested.issueOpen ? issues.reopen(this.issue) : issues.close(this.issue)));
    }
    if (requested.approved !== state.approved) await post.after(() => this.review(requested.approved));
    if (requested.buildGreen !== state.buildGreen) {
      await post.after(() => this.build(requested.buildGreen ? 'success' : 'failure'));
    }
  }

  private review(approves: boolean): void {
    const state = approves ? 'APPROVED' : 'CHANGES_REQUESTED';
    const body = approves ? '' : 'Is that all?';
    const { pulls } = this.repo.repository;
    pulls.reviews.submit(this.repo.evidencePull(VERSION), { by: this.repo.reviewer, state, body });
  }

  private build(state: 'success' | 'failure'): void {
    const { statuses, owner } = this.repo.repository;
    statuses.set({ sha: this.repo.head(), context: 'build', state, by: owner.founder });
  }

  /** Changes a value that no verdict uses. */
  private retitle(random: RandomOrder): void {
    this.repo.repository.issues.edit(this.issue, { title: random.happens(0.5) ? 'Rounding' : 'Rounding, again' });
  }
}
