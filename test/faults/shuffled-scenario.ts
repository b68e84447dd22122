import type { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { Issue } from '../github-sim/state/issues.js';
import type { Milestone } from '../github-sim/state/milestones.js';
import { VERSION } from './release-outcome.js';
import type { ShuffledDeliveries } from './shuffled-deliveries.js';

/** The life of one release on GitHub, from a milestone to its deployment. */
export class ShuffledScenario {
  private readonly scope: Issue[] = [];
  private milestone: Milestone | null = null;

  constructor(
    readonly repo: RepositoryScenario,
    readonly post: ShuffledDeliveries,
  ) {}

  /** The changes up to passing evidence of the commit that will ship. */
  async develop(): Promise<void> {
    const { milestones, issues } = this.repo.repository;
    await this.post.after(() => (this.milestone = this.repo.milestone(VERSION)));
    await this.post.after(() => this.scope.push(issues.create({ title: 'Rounding', milestone: this.milestone })));
    await this.post.after(() => this.repo.commit());
    await this.post.after(() => this.scope.push(issues.create({ title: 'Typing', milestone: this.milestone })));
    await this.post.after(() => milestones.edit(this.milestone!, { description: 'The second half.' }));
    await this.post.after(() => this.repo.commit());
    for (const issue of this.scope) await this.post.after(() => issues.close(issue));
    const { status } = await this.repo.run(this.repo.head()).uploadTests(VERSION);
    if (status !== 201)
      throw new Error(`the upload was answered with ${status}: ${this.repo.env.lines.slice(-5).join('')}`);
  }

  /** The changes up to the approval, with a request for changes before it. */
  async review(): Promise<void> {
    const { issues, pulls } = this.repo.repository;
    const pull = this.repo.evidencePull(VERSION);
    const [issue] = this.scope;
    const by = this.repo.reviewer;
    await this.post.after(() => pulls.reviews.submit(pull, { by, state: 'CHANGES_REQUESTED', body: 'Is that all?' }));
    await this.post.after(() => issues.reopen(issue!));
    await this.post.after(() => pulls.reviews.submit(pull, { by, state: 'APPROVED' }));
    await this.post.after(() => issues.close(issue!));
  }

  /** The changes up to the deployment, and those after it. */
  async ship(): Promise<void> {
    const { deployments, milestones } = this.repo.repository;
    const deployment = deployments.create({ ref: this.repo.head(), environment: 'production' });
    await this.post.after(() => deployments.setStatus(deployment, 'in_progress'));
    await this.post.after(() => deployments.setStatus(deployment, 'success'));
    await this.post.after(() => milestones.close(this.milestone!));
  }
}
