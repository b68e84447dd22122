import { isDeepStrictEqual } from 'node:util';
import type { OrgId } from '../../src/database/ids.js';
import { type FactKey, type FactKind, FACT_LIFETIME_MS, factId } from '../../src/domain/facts/facts.js';
import type { FactReaderService } from '../../src/features/releases/facts/fact-reader.service.js';
import { codesOf, RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { HeldAnswer, RestRequest } from '../github-sim/faults.js';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { TestEnvironment } from '../support/test-environment.js';
import type { GitHubFailure } from './github-failures.js';

/** The answer of a gate. */
export interface GateReading {
  readonly open: boolean;
  readonly codes: readonly string[];
}

/** The requests that read a fact of each kind. */
const ADDRESSES: Readonly<Record<FactKind, RegExp>> = {
  policy: /\/contents\/sdlc\.yaml/,
  // A list of milestones contains the fact too.
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
  run_jobs: /\/actions\/runs\/\d+\/jobs/,
  // Not those to the target, which are no facts.
  deployments: /\/deployments\?.*environment=dev/,
};

export const FACT_KINDS = Object.keys(ADDRESSES) as readonly FactKind[];

/**
 * A change of each kind of fact. It closes the gate of v1.0.0, or makes v3.0.0 begin. Null if the kind never changes.
 */
const CHANGES: Readonly<Record<FactKind, ((repo: RepositoryScenario) => void) | null>> = {
  policy: ({ repository }) =>
    repository.commit({ files: { 'sdlc.yaml': DEMANDING.replace('[build]', '[build, audit]') } }),
  milestone: ({ repository: { milestones } }) =>
    milestones.edit(milestones.findByTitle('v1.0.0')!, { title: 'Some day' }),
  issues: ({ repository: { issues } }) => issues.reopen(issues.list().find(({ title }) => title === 'Rounding')!),
  pulls_of_issue: (repo) => {
    const issue = repo.repository.issues.list().find(({ title }) => title === 'Later')!;
    repo.repository.createBranch('later', repo.head());
    repo.commit({ branch: 'later' });
    repo.repository.pulls.open({ head: 'later', title: 'Later', body: `Closes #${issue.number}` });
  },
  refs: (repo) => repo.repository.createBranch('release/v1.0.0', repo.head()),
  history: null,
  comparison: null,
  checks: (repo) => {
    const run = { name: 'build', app: repo.env.githubApp, conclusion: 'failure' } as const;
    repo.repository.checkRuns.create({ ...run, sha: repo.head('candidate') });
  },
  pull: (repo) => repo.repository.pulls.close(repo.evidencePull('v1.0.0')),
  reviews: (repo) => {
    const spec = { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'Is that all?' } as const;
    repo.repository.pulls.reviews.submit(repo.evidencePull('v1.0.0'), spec);
  },
  permission: ({ repository, reviewer }) => repository.setCollaborator(reviewer, 'read'),
  team: ({ repository: { owner }, reviewer }) => owner.findTeam('release-managers')!.removeMember(reviewer),
  run_jobs: (repo) => repo.repository.workflowRuns.newestOf(repo.head('candidate')).queue('test (2)'),
  deployments: ({ repository: { deployments, defaultBranch: ref } }) =>
    deployments.setStatus(deployments.create({ ref, environment: 'dev' }), 'success'),
};

/** The kinds of facts that events may change. */
export const CHANGING_KINDS = FACT_KINDS.filter((kind) => CHANGES[kind] !== null);

/** A policy with which an open gate uses a fact of every kind except `pulls_of_issue`. */
const DEMANDING = `version: v1
stages:
  development: { required_checks: [build], deploy_target: dev, soak: 0s }
  evidencing:
    required_evidence: [{ kind: unit_tests }]
    required_reviewers: { teams: [release-managers], exclude_release_authors: true }
`;

/** The only kind of fact that no open gate uses, because evidence also proves that work has begun. */
const OF_PLANNING: FactKind = 'pulls_of_issue';

/**
 * Three releases of one repository in its own organization. The gate of v1.0.0 is open, v2.0.0 has begun, and v3.0.0 is
 * planned.
 */
export class ReleaseUnderTest {
  private constructor(
    private readonly repo: RepositoryScenario,
    private readonly installation: Installation,
  ) {}

  static async open(env: TestEnvironment, organization: Organization, name: string): Promise<ReleaseUnderTest> {
    const repo = new RepositoryScenario(env, { name, sdlc: DEMANDING, organization });
    organization.createTeam('release-managers', [repo.reviewer]);
    const author = repo.createCollaborator(`ada-of-${name}`);
    const { issues, checkRuns, pulls } = repo.repository;
    issues.close(issues.create({ title: 'Rounding', milestone: repo.milestone('v1.0.0') }));
    const planned = issues.create({ title: 'Next', milestone: repo.milestone('v2.0.0') });
    issues.create({ title: 'Later', milestone: repo.milestone('v3.0.0') });
    const sha = repo.commit({ author });
    checkRuns.create({ sha, name: 'build', app: env.githubApp, conclusion: 'success' });
    repo.repository.createBranch('next', sha);
    repo.repository.createBranch('candidate', sha);
    repo.commit({ author, branch: 'next' });
    pulls.open({ head: 'next', title: 'Next', body: `Closes #${planned.number}` });
    const installation = env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    await repo.deploy(sha, 'dev');
    await repo.test('v1.0.0', sha);
    repo.approve('v1.0.0');
    // The head has moved on, so the verdict also needs a comparison of the candidate with the head.
    repo.commit({ author });
    await env.waitUntilIdle();
    return new ReleaseUnderTest(repo, installation);
  }

  /** Deletes the fact if it never expires. Otherwise the moved clock makes it too old. */
  async outdate(kind: FactKind): Promise<void> {
    if (kind === 'deployments') await this.deleteSoaks();
    if (Number.isFinite(FACT_LIFETIME_MS[kind])) return;
    await this.repo.env.asSuperuser(
      `delete from observation where kind = '${kind}' and repository_id = ${this.row};
       update release set valid_until = '-infinity' where repository_id = ${this.row}`,
    );
  }

  /** Fails the reads of the fact from now on, in this repository only. */
  fail(kind: FactKind, { way, times }: GitHubFailure): void {
    this.repo.env.github.faults.next({ ...way, times, match: (request) => this.isReadOf(kind, request) });
  }

  /** Deletes the facts of the kind, as before their first read. */
  async deleteFact(kind: FactKind): Promise<void> {
    if (kind === 'deployments') await this.deleteSoaks();
    await this.repo.env.asSuperuser(
      `delete from observation where kind = '${kind}' and repository_id = ${this.row};
       update release set valid_until = '-infinity',
         used_facts = array(select fact from unnest(used_facts) as fact where fact not like '${kind}:%')
       where repository_id = ${this.row}`,
    );
  }

  /** Holds the response to the next read of the fact, in this repository only. */
  hold(kind: FactKind): HeldAnswer {
    return this.repo.env.github.faults.hold((request) => this.isReadOf(kind, request));
  }

  /** Changes the value of the fact on GitHub, which sends deliveries about it. */
  change(kind: FactKind): void {
    CHANGES[kind]?.(this.repo);
  }

  /** The release that uses facts of the kind, and the query of its gate request. */
  async subject(kind: FactKind): Promise<{ orgId: OrgId; repositoryId: string; releaseId: string; query: string }> {
    const version = kind === OF_PLANNING ? 'v3.0.0' : 'v1.0.0';
    const [row] = await this.repo.env.asSuperuser<{ org_id: OrgId; repository_id: string; id: string }>(
      `select org_id, repository_id, id from release where repository_id = ${this.row} and version = '${version}'`,
    );
    if (!row) throw new Error(`there is no release ${version}`);
    const query = new URLSearchParams({ version, repo: this.repo.repository.fullName }).toString();
    return { orgId: row.org_id, repositoryId: row.repository_id, releaseId: row.id, query };
  }

  /** A token of a run of the repository. */
  token(): Promise<string> {
    return this.repo.run(this.repo.head()).token();
  }

  /** Whether each stored fact of the kind is valid and equals the present value on GitHub. */
  async isCurrent(kind: FactKind, observer: FactReaderService): Promise<boolean> {
    const { env, repository } = this.repo;
    const stored = await env.asSuperuser<{ orgId: OrgId; id: string; key: string; value: unknown; counts: boolean }>(
      `select org_id as "orgId", repository_id as id, key, value, observed_at > 'epoch' as counts from observation
       where kind = '${kind}' and repository_id = ${this.row}`,
    );
    if (!stored[0]) return false;
    const { orgId, id } = stored[0];
    const { owner, name } = repository;
    const ref = { installationId: this.installation.id, id: repository.id, owner: owner.login, name };
    const requested = stored.map(({ key }): FactKey => ({ kind, key }));
    const { observations } = await observer.read({ orgId, id, ref, organizationDefault: null }, requested);
    const now = new Map(observations.map((seen) => [factId(seen), JSON.parse(JSON.stringify(seen.value)) as unknown]));
    return stored.every(({ key, value, counts }) => counts && isDeepStrictEqual(value, now.get(factId({ kind, key }))));
  }

  /**
   * The answer of a gate that uses facts of the kind: whether it is open with or without `explain`, and the codes with
   * `explain`.
   */
  async readGate(kind: FactKind): Promise<GateReading> {
    const version = kind === OF_PLANNING ? 'v2.0.0' : 'v1.0.0';
    const quick = await this.repo.gate(version, { explain: 'false' });
    const close = await this.repo.gate(version);
    return { open: quick.can_deploy || close.can_deploy, codes: codesOf(close) };
  }

  /** Whether the gate of v1.0.0 is open, and v2.0.0 has every fact. */
  async isWell(): Promise<boolean> {
    const [first, second] = [await this.repo.gate('v1.0.0'), await this.repo.gate('v2.0.0')];
    return first.can_deploy && codesOf(first).length === 0 && !codesOf(second).some(isOfUnknown);
  }

  /** The kinds of facts that the verdicts use, or used until a soak was completed. */
  async usedFacts(): Promise<readonly FactKind[]> {
    const rows = await this.repo.env.asSuperuser<{ kind: FactKind }>(
      `select split_part(fact, ':', 1) as kind from release, unnest(used_facts) as fact where repository_id = ${this.row}
       union select 'deployments' from completed_soak s join release r on r.id = s.release_id where repository_id = ${this.row}`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** The number of calls to GitHub as the installation or for its token. */
  calls(): number {
    return this.repo.env.exchanges.filter(({ path }) => this.places.some((place) => `${path}/`.startsWith(place)))
      .length;
  }

  private isReadOf(kind: FactKind, { method, url }: RestRequest): boolean {
    const [repository, organization] = this.places;
    return (
      method === 'GET' && (url.startsWith(repository) || url.startsWith(organization)) && ADDRESSES[kind].test(url)
    );
  }

  /** Makes the gate use the deployments again: a completed soak needs no fact. */
  private async deleteSoaks(): Promise<void> {
    await this.repo.env.asSuperuser(
      `delete from completed_soak where release_id in (select id from release where repository_id = ${this.row});
       update release set valid_until = '-infinity' where repository_id = ${this.row}`,
    );
  }

  /** The id of the repository in the service, as SQL. */
  private get row(): string {
    return `(select id from repository where github_id = ${this.repo.repository.id})`;
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

/** Whether the code of a gate reason means that a fact is unknown or too old. */
export const isOfUnknown = (code: string): boolean => code === 'facts_stale' || code === 'unknown';
