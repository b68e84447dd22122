import { type FactKind, FACT_LIFETIME_MS } from '../../src/domain/release/facts.js';
import { codesOf, RepositoryScene } from '../e2e/scene/repository-scene.js';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { World } from '../support/world.js';
import type { HostFailure } from './host-failures.js';

/** What a release's gate says. */
export interface GateWord {
  readonly open: boolean;
  readonly codes: readonly string[];
}

/** What a fact is read from. */
const ADDRESSES: Readonly<Record<FactKind, RegExp>> = {
  policy: /\/contents\/sdlc\.yaml/,
  // The list tells of it as well.
  milestone: /\/milestones(\/\d+$|\?)/,
  issues: /\/issues\?/,
  pulls_of_issue: /\/timeline/,
  refs: /\/matching-refs\//,
  history: /\/commits\?/,
  comparison: /\/compare\//,
  checks: /\/commits\/[0-9a-f]+\/(check-runs|status)/,
  pull: /\/pulls\/\d+$/,
  reviews: /\/reviews/,
  permission: /\/collaborators\//,
  team: /\/teams\//,
};

export const FACT_KINDS = Object.keys(ADDRESSES) as readonly FactKind[];

/** A policy under which an open gate rests on a fact of every kind, but for that which only says that work has begun. */
const DEMANDING = `version: v1
stages:
  development: { required_checks: [build] }
  evidencing:
    required_evidence: [{ kind: unit_tests }]
    required_reviewers: { teams: [release-managers], exclude_release_authors: true }
`;

/** The one kind of fact that no open gate rests on: evidence says as well that work has begun. */
const OF_PLANNING: FactKind = 'pulls_of_issue';

/** Two releases of one repository in an organization of its own: the gate of v1.0.0 stands open, v2.0.0 is planned. */
export class ExposedRelease {
  private constructor(
    private readonly repo: RepositoryScene,
    private readonly installation: Installation,
  ) {}

  static async open(world: World, organization: Organization, name: string): Promise<ExposedRelease> {
    const repo = new RepositoryScene(world, { name, sdlc: DEMANDING, organization });
    organization.createTeam('release-managers', [repo.reviewer]);
    const author = repo.person(`ada-of-${name}`);
    const { issues, checkRuns, pulls } = repo.repository;
    issues.close(issues.create({ title: 'Rounding', milestone: repo.milestone('v1.0.0') }));
    const planned = issues.create({ title: 'Next', milestone: repo.milestone('v2.0.0') });
    const sha = repo.commit({ author });
    checkRuns.create({ sha, name: 'build', app: world.githubApp, conclusion: 'success' });
    repo.repository.createBranch('next', sha);
    repo.commit({ author, branch: 'next' });
    pulls.open({ head: 'next', title: 'Next', body: `Closes #${planned.number}` });
    const installation = world.github.installApp(world.githubApp, organization);
    await world.settle();
    await repo.test('v1.0.0', sha);
    repo.approve('v1.0.0');
    // The branch has moved on: how the candidate relates to its head is asked as well.
    repo.commit({ author });
    await world.settle();
    return new ExposedRelease(repo, installation);
  }

  /** Lets the fact be too old, or unknown where it never ages. */
  async outdate(kind: FactKind): Promise<void> {
    if (Number.isFinite(FACT_LIFETIME_MS[kind])) return;
    const repository = `(select id from repository where github_id = ${this.repo.repository.id})`;
    await this.repo.world.asSuperuser(
      `delete from observation where kind = '${kind}' and repository_id = ${repository};
       update release set valid_until = '-infinity' where repository_id = ${repository}`,
    );
  }

  /** Has reads of the fact fail from now on, here and nowhere else. */
  fail(kind: FactKind, { way, times }: HostFailure): void {
    const [repository, organization] = this.places;
    this.repo.world.github.faults.next({
      ...way,
      times,
      match: ({ method, url }) =>
        method === 'GET' && (url.startsWith(repository) || url.startsWith(organization)) && ADDRESSES[kind].test(url),
    });
  }

  /** What the gate says of the release that rests on facts of the kind, asked quickly and closely. */
  async ask(kind: FactKind): Promise<GateWord> {
    const version = kind === OF_PLANNING ? 'v2.0.0' : 'v1.0.0';
    const quick = await this.repo.gate(version, { explain: 'false' });
    const close = await this.repo.gate(version);
    return { open: quick.can_deploy || close.can_deploy, codes: codesOf(close) };
  }

  /** Whether the gate of the first release is open, and the second lacks nothing that the host could tell. */
  async isWell(): Promise<boolean> {
    const [first, second] = [await this.repo.gate('v1.0.0'), await this.repo.gate('v2.0.0')];
    return first.can_deploy && codesOf(first).length === 0 && !codesOf(second).some(isOfUnknown);
  }

  /** Which kinds of facts the two verdicts rest on. */
  async consulted(): Promise<readonly string[]> {
    const rows = await this.repo.world.asSuperuser<{ kind: string }>(
      `select distinct split_part(fact, ':', 1) as kind from release, unnest(consulted) as fact
       where repository_id = (select id from repository where github_id = ${this.repo.repository.id})`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** How many calls the host carried out so far that were made as the installation, or to be made so. */
  calls(): number {
    return this.repo.world.exchanges.filter(({ path }) => this.places.some((place) => `${path}/`.startsWith(place)))
      .length;
  }

  private get places(): readonly [string, string, string] {
    const { owner, name } = this.repo.repository;
    return [
      `/repos/${owner.login}/${name}/`,
      `/orgs/${owner.login}/`,
      `/app/installations/${this.installation.id}/access_tokens/`,
    ];
  }
}

/** Whether a gate is closed because something is not known, or not any more. */
export const isOfUnknown = (code: string): boolean => code === 'facts_stale' || code === 'unknown';
