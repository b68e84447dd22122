import type { Sha } from '../../github-sim/git/git-object.js';
import type { Milestone } from '../../github-sim/state/milestones.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { Pull } from '../../github-sim/state/pull.js';
import type { Repository } from '../../github-sim/state/repository.js';
import type { User } from '../../github-sim/state/user.js';
import type { WorkflowRun } from '../../github-sim/state/workflow-runs.js';
import { CiRunClient, type GateAnswer, type RunSpec } from '../../support/ci-run-client.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** A policy that requires unit tests and one approval. */
export const PLAIN_POLICY = 'version: v1\nstages:\n  evidencing:\n    required_evidence: [{ kind: unit_tests }]\n';

export interface ScenarioSpec {
  readonly name: string;
  /** Null leaves the repository without a policy. */
  readonly sdlc?: string | null;
  readonly organization?: Organization;
  readonly private?: boolean;
}

/** An evidence item in `evidence.json`. */
export interface EvidenceEntry {
  readonly job: string;
  readonly run: { readonly id: string; readonly attempt: number };
  readonly commit: Sha;
}

/** A repository on the simulated GitHub, with the actions of the users and CI runs that work on it. */
export class RepositoryScenario {
  readonly repository: Repository;
  readonly reviewer: User;
  private edits = 0;

  constructor(
    readonly env: TestEnvironment,
    { sdlc = PLAIN_POLICY, organization = env.organization, ...spec }: ScenarioSpec,
  ) {
    const policy = sdlc === null ? {} : { 'sdlc.yaml': sdlc };
    this.repository = env.github.createRepository(organization, { ...spec, files: { ...policy, 'src/a.ts': '0' } });
    this.reviewer = env.github.createUser({ login: `rita-of-${spec.name}` });
    // Without a webhook, because the service would read all members and repositories from GitHub.
    organization.members.set(this.reviewer.id, { user: this.reviewer, role: 'member' });
    this.repository.collaborators.set(this.reviewer.id, { user: this.reviewer, role: 'write' });
  }

  /** The repository's id in the service. */
  async repositoryId(): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(
      `select id from repository where github_id = ${this.repository.id}`,
    );
    if (!row) throw new Error(`the service has not stored ${this.repository.name}`);
    return row.id;
  }

  /** Creates a member of the organization with write access to the repository. */
  createCollaborator(login: string, role: 'read' | 'write' = 'write'): User {
    const user = this.env.github.createUser({ login });
    this.repository.owner.addMember(user);
    this.repository.setCollaborator(user, role);
    return user;
  }

  milestone(version: string): Milestone {
    return this.repository.milestones.create({ title: version });
  }

  /** Commits a change of the code. */
  commit(spec: { readonly branch?: string; readonly author?: User } = {}): Sha {
    this.edits += 1;
    return this.repository.commit({ files: { 'src/a.ts': `${this.edits}` }, ...spec });
  }

  run(sha: Sha, spec: Omit<RunSpec, 'sha'> = {}): CiRunClient {
    return new CiRunClient(this.env, this.repository, { sha, ...spec });
  }

  /** A CI run on GitHub, whose jobs are queued. */
  workflow(sha: Sha, ...jobs: readonly string[]): WorkflowRun {
    return this.repository.workflowRuns.create({ sha, jobs });
  }

  /** One job of such a run, in its latest attempt. */
  job(run: WorkflowRun, name: string): CiRunClient {
    return this.run(run.sha, { runId: run.id, attempt: run.job(name).attempt, job: name });
  }

  /** The gate for a run of the head of the default branch. */
  gate(version: string, query: Readonly<Record<string, string>> = {}): Promise<GateAnswer> {
    return this.run(this.head()).gate(version, query);
  }

  head(branch = this.repository.defaultBranch): Sha {
    const sha = this.repository.git.branchHead(branch);
    if (sha === null) throw new Error(`there is no branch ${branch}`);
    return sha;
  }

  /** The newest evidence pull request of the version. */
  evidencePull(version: string): Pull {
    const pull = this.repository.pulls.list().findLast(({ headRef }) => headRef === `shipgate/evidence/${version}`);
    if (!pull) throw new Error(`there is no evidence pull request of ${version}`);
    return pull;
  }

  /** The items of `evidence.json` on the evidence branch. */
  evidenceOf(version: string): readonly EvidenceEntry[] {
    const document = JSON.parse(this.evidenceFile(version, 'evidence.json')) as { evidence: readonly EvidenceEntry[] };
    return document.evidence;
  }

  /** A file on the evidence branch. */
  evidenceFile(version: string, name: 'EVIDENCE.md' | 'evidence.json'): string {
    const { git } = this.repository;
    const entry = git.filesAt(this.head(`shipgate/evidence/${version}`)).get(`.releases/${version}/${name}`);
    if (!entry) throw new Error(`there is no ${name} of ${version}`);
    return git.store.blob(entry.sha).toString('utf8');
  }

  approve(version: string, by: User = this.reviewer): ReturnType<Repository['pulls']['reviews']['submit']> {
    return this.repository.pulls.reviews.submit(this.evidencePull(version), { by, state: 'APPROVED' });
  }

  /** Uploads passing tests of the commit, and waits until the service is idle. */
  async test(version: string, sha: Sha, tests = 3): Promise<void> {
    const { status } = await this.run(sha).uploadTests(version, tests);
    if (status !== 201) throw new Error(`the upload was answered with ${status}`);
    await this.env.waitUntilIdle();
  }

  /** Brings a new release to EVIDENCING. Returns its candidate. */
  async evidencing(version: string): Promise<Sha> {
    this.milestone(version);
    const sha = this.commit();
    await this.env.waitUntilIdle();
    await this.test(version, sha);
    return sha;
  }

  /** Brings a new release to DEPLOYMENT. Returns its candidate. */
  async approved(version: string): Promise<Sha> {
    const sha = await this.evidencing(version);
    this.approve(version);
    await this.env.waitUntilIdle();
    return sha;
  }

  /** Deploys a commit two seconds after the latest decision. */
  async deploy(sha: Sha, environment = 'production'): Promise<number> {
    this.env.clock.advance(2_000);
    const deployment = this.repository.deployments.create({ ref: sha, environment });
    this.repository.deployments.setStatus(deployment, 'success');
    await this.env.waitUntilIdle();
    return deployment.id;
  }
}

/** The codes of the gate reasons. */
export const codesOf = ({ reasons = [] }: GateAnswer): readonly string[] => reasons.map(({ code }) => code);
