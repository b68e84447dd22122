import { RepositoryScene } from '../e2e/scene/repository-scene.js';
import type { Issue } from '../github-sim/state/issues.js';
import type { TestEnvironment } from '../support/world.js';
import { VERSION } from './life-outcome.js';
import type { RandomOrder } from './random-order.js';
import type { ShuffledDeliveries } from './shuffled-post.js';

/** How things stand on the host, as far as they go to and fro. */
export interface Standing {
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

/** Every way in which things can stand. */
export const STANDINGS: readonly Standing[] = [true, false].flatMap((issueOpen) =>
  [true, false].flatMap((approved) => [true, false].map((buildGreen) => ({ issueOpen, approved, buildGreen }))),
);

/** A release whose gate stood open, and on which people change their minds. */
export class ChangingRelease {
  private standing: Standing = { issueOpen: false, approved: true, buildGreen: true };

  private constructor(
    readonly repo: RepositoryScene,
    private readonly issue: Issue,
  ) {}

  static async open(world: TestEnvironment, name: string): Promise<ChangingRelease> {
    const repo = new RepositoryScene(world, { name, sdlc: POLICY });
    const { issues } = repo.repository;
    const issue = issues.create({ title: 'Rounding', milestone: repo.milestone(VERSION) });
    issues.close(issue);
    repo.commit();
    const release = new ChangingRelease(repo, issue);
    release.build('success');
    await world.settle();
    await repo.test(VERSION, repo.head());
    repo.approve(VERSION);
    await world.settle();
    return release;
  }

  get now(): Standing {
    return this.standing;
  }

  /** Something that changes how things stand, whatever the random choice makes it. */
  async change(post: ShuffledDeliveries, random: RandomOrder): Promise<void> {
    const [what] = random.shuffle(['issueOpen', 'approved', 'buildGreen', null] as const);
    if (what === undefined || what === null) await post.after(() => this.retitle(random));
    else await this.become({ ...this.standing, [what]: !this.standing[what] }, post);
  }

  /** Makes things stand so. */
  async become(wanted: Standing, post: ShuffledDeliveries): Promise<void> {
    const { standing } = this;
    const { issues } = this.repo.repository;
    this.standing = wanted;
    if (wanted.issueOpen !== standing.issueOpen) {
      await post.after(() => (wanted.issueOpen ? issues.reopen(this.issue) : issues.close(this.issue)));
    }
    if (wanted.approved !== standing.approved) await post.after(() => this.review(wanted.approved));
    if (wanted.buildGreen !== standing.buildGreen) {
      await post.after(() => this.build(wanted.buildGreen ? 'success' : 'failure'));
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

  /** Nothing that a release rests on. */
  private retitle(random: RandomOrder): void {
    this.repo.repository.issues.edit(this.issue, { title: random.happens(0.5) ? 'Rounding' : 'Rounding, again' });
  }
}
