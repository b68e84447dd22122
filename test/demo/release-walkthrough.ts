import { setTimeout as sleep } from 'node:timers/promises';
import type { Pull } from '../github-sim/state/pull.js';
import type { Repository } from '../github-sim/state/repository.js';
import { Ci, nextRunId, type GateAnswer, type CiSettings } from './ci.js';
import type { Narrator } from './narrator.js';
import type { DemoEnvironment } from './demo-environment.js';

const PATIENCE_MS = 20_000;

/** The expected answer of the gate. */
export interface Expected {
  readonly stage: string;
  readonly canDeploy: boolean;
  /** The code of a reason that must be in the answer. */
  readonly because?: string;
}

/** Leads a release through all stages, requests the gate after each step, and counts unexpected answers. */
export class ReleaseWalkthrough {
  private wrong = 0;

  constructor(
    private readonly environment: DemoEnvironment,
    private readonly ciSettings: CiSettings,
    private readonly narrator: Narrator,
  ) {}

  /** The number of steps with an unexpected result. */
  get failures(): number {
    return this.wrong;
  }

  /** Leads payments v1.4.0 to its deployment. Returns the number of failures. */
  async play(): Promise<number> {
    const { payments } = this.environment.repositories;
    const { developer, secondDeveloper, releaseManager } = this.environment.accounts;
    const { narrator } = this;
    const version = 'v1.4.0';

    narrator.chapter('Planning: a milestone becomes a release');
    const milestone = payments.milestones.create({ title: version, description: 'Refunds' });
    const issue = payments.issues.create({ title: 'Refund a payment', milestone, author: developer });
    narrator.does(`Milestone ${version} is created, with issue #${issue.number} in its scope.`);
    await this.expectGate(payments, version, { stage: 'PLANNING', canDeploy: false, because: 'issue_unowned' });

    narrator.chapter('Development: a developer is assigned to the issue and opens a pull request for it');
    payments.issues.assign(issue, developer);
    payments.createBranch('refunds', headOf(payments), developer);
    payments.commit({
      branch: 'refunds',
      files: { 'src/refunds.ts': 'export const refund = true;\n' },
      author: developer,
      message: 'Refund a payment',
    });
    const work = payments.pulls.open({
      head: 'refunds',
      title: 'Refund a payment',
      body: `Closes #${issue.number}`,
      author: developer,
    });
    narrator.does(`Pull request #${work.number} is opened by ${developer.login}.`);
    await this.expectGate(payments, version, { stage: 'DEVELOPMENT', canDeploy: false, because: 'issue_open' });

    narrator.chapter('Testing: a matrix of two jobs, which are known from their identity tokens');
    const sha = payments.pulls.merge(work, { method: 'squash', by: developer });
    if (issue.state === 'open') payments.issues.close(issue, developer);
    const [first, second, quality] = ['test (1)', 'test (2)', 'quality'] as const;
    const run = payments.workflowRuns.create({ sha, jobs: [first, second, quality] });
    for (const { name } of run.jobs) run.start(name);
    narrator.does(`It is merged as ${sha.slice(0, 7)}. CI runs ${first}, ${second} and ${quality}.`);
    const ci = this.ci(payments, sha, run.id);
    this.expectStatus(
      await ci.upload(version, quality, ['lcov.info', 'oxlint.sarif']),
      201,
      'the quality job uploads LCOV and SARIF',
    );
    run.complete(quality);
    this.expectStatus(await ci.upload(version, first, ['junit-1.xml']), 201, 'the first job uploads its JUnit file');
    run.complete(first);
    narrator.does(`${first} and ${quality} are done, and ${second} is still running.`);
    await this.expectGate(payments, version, { stage: 'TESTING', canDeploy: false, because: 'evidence_incomplete' });
    this.expectStatus(
      await ci.upload(version, second, ['junit-red.xml']),
      201,
      'the second job uploads its JUnit file: one test failed',
    );
    run.complete(second, 'failure');
    await this.expectGate(payments, version, { stage: 'TESTING', canDeploy: false, because: 'evidence_failing' });

    narrator.chapter('Testing again: only the failed job runs once more, and passes');
    run.rerun();
    run.start(second);
    const again = this.ci(payments, sha, run.id, run.attempt);
    this.expectStatus(await again.upload(version, second, ['junit-2.xml']), 201, `${second} uploads in attempt 2`);
    this.expectStatus(await again.upload(version, second, ['junit-2.xml']), 200, 'the same upload again adds nothing');
    run.complete(second);
    await this.expectGate(payments, version, { stage: 'EVIDENCING', canDeploy: false });

    narrator.chapter('Evidencing: the service opens the evidence pull request');
    const pull = await this.evidencePull(payments, version);
    narrator.does(`#${pull.number} "${pull.issue.title}", for review by release-managers.`);
    for (const line of this.evidenceTable(payments, pull, version)) narrator.detail(line);
    await this.expectGate(payments, version, { stage: 'EVIDENCING', canDeploy: false, because: 'approvals_missing' });
    payments.pulls.reviews.submit(pull, { by: developer, state: 'APPROVED' });
    narrator.does(`${developer.login} approves: a release manager, but the author of the release.`);
    await this.expectGate(payments, version, { stage: 'EVIDENCING', canDeploy: false, because: 'approvals_missing' });
    payments.pulls.reviews.submit(pull, { by: releaseManager, state: 'APPROVED' });
    narrator.does(`${releaseManager.login} approves.`);
    await this.expectGate(payments, version, { stage: 'DEPLOYMENT', canDeploy: true });

    narrator.chapter('A late fix: another commit is pushed, so the approved commit is not the one that would ship');
    const fixed = payments.commit({
      files: { 'src/refunds.ts': 'export const refund = "whole";\n' },
      author: secondDeveloper,
      message: 'Refund whole payments',
    });
    const fixCi = this.ci(payments, fixed, nextRunId());
    this.expectStatus(
      await fixCi.upload(version, 'test', ['junit.xml']),
      201,
      'CI uploads the evidence of the new commit',
    );
    this.expectStatus(
      await fixCi.upload(version, 'quality', ['lcov.info', 'oxlint.sarif']),
      201,
      'and its quality reports',
    );
    await this.expectGate(payments, version, { stage: 'EVIDENCING', canDeploy: false, because: 'approvals_missing' });
    payments.pulls.reviews.submit(await this.evidencePull(payments, version), {
      by: releaseManager,
      state: 'APPROVED',
    });
    narrator.does(`${releaseManager.login} approves the new evidence.`);
    await this.expectGate(payments, version, { stage: 'DEPLOYMENT', canDeploy: true });
    await this.expectGate(
      payments,
      version,
      { stage: 'DEPLOYMENT', canDeploy: false, because: 'not_the_candidate' },
      sha,
    );

    narrator.chapter('Deployment: production runs the candidate');
    await sleep(2_100); // GitHub states times in whole seconds.
    const deployment = payments.deployments.create({ ref: fixed, environment: 'production', creator: developer });
    payments.deployments.setStatus(deployment, 'success');
    narrator.does(`${fixed.slice(0, 7)} is deployed to production.`);
    await this.expectGate(payments, version, { stage: 'DEPLOYED', canDeploy: true });
    this.expectStatus(
      await fixCi.upload(version, 'late', ['junit-red.xml']),
      409,
      'a shipped release takes no more evidence',
    );
    return this.wrong;
  }

  /** Requests the gate until it has the expected answer, because webhooks take a moment. */
  async expectGate(repository: Repository, version: string, expected: Expected, sha?: string): Promise<void> {
    const ci = this.ci(repository, headOf(repository), nextRunId());
    const deadline = Date.now() + PATIENCE_MS;
    let answer = await ci.gate(version, sha);
    while (!isAsExpected(answer, expected) && Date.now() < deadline) {
      this.narrator.progress(`the gate says ${answer.stage}`);
      await sleep(150);
      answer = await ci.gate(version, sha);
    }
    const request = sha === undefined ? 'gate' : `gate for ${sha.slice(0, 7)}`;
    const line = `${request}: ${answer.stage}, can_deploy ${String(answer.isOpen)}`;
    if (isAsExpected(answer, expected)) this.narrator.passes(line);
    else {
      this.wrong += 1;
      this.narrator.fails(
        `${line}, where ${expected.stage}, can_deploy ${String(expected.canDeploy)}${expected.because ? ` because of ${expected.because}` : ''} was expected`,
      );
    }
    for (const { detail, actor } of answer.reasons.slice(0, 3)) this.narrator.detail(`${detail} (${actor})`);
    if (answer.reasons.length > 3) this.narrator.detail(`and ${answer.reasons.length - 3} more`);
  }

  /** Waits until the service has stored the repository. */
  async untilKnown(repository: Repository, version: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    const ci = this.ci(repository, headOf(repository), nextRunId());
    while (Date.now() < deadline) {
      const { reasons } = await ci.gate(version);
      if (!reasons.some(({ detail }) => /no such repository|no workspace/i.test(detail))) return;
      this.narrator.progress('the service reads the installation');
      await sleep(150);
    }
    throw new Error('the service has not stored the repository');
  }

  expectStatus(actual: number, expected: number, what: string): void {
    if (actual === expected) this.narrator.passes(`${what}: ${actual}`);
    else {
      this.wrong += 1;
      this.narrator.fails(`${what}: ${actual}, where ${expected} was expected`);
    }
  }

  /** Waits until the service has opened the evidence pull request, with all evidence. */
  async evidencePull(repository: Repository, version: string): Promise<Pull> {
    const deadline = Date.now() + PATIENCE_MS;
    const ci = this.ci(repository, headOf(repository), nextRunId());
    while (Date.now() < deadline) {
      const found = repository.pulls
        .list()
        .find(({ headRef, issue }) => headRef === `shipgate/evidence/${version}` && issue.state === 'open');
      // An upload may have come after the branch was written. An approval from before the next write would not count.
      const { reasons } = await ci.gate(version);
      if (found && !reasons.some(({ code }) => code === 'evidence_pull_pending' || code === 'evidence_pull_outdated')) {
        return found;
      }
      this.narrator.progress('waiting for the evidence pull request');
      await sleep(100);
    }
    throw new Error('the service opened no evidence pull request');
  }

  private ci(repository: Repository, sha: string, runId: number, attempt = 1): Ci {
    return new Ci(this.ciSettings, repository, { sha, runId, attempt });
  }

  private evidenceTable(repository: Repository, pull: Pull, version: string): readonly string[] {
    const file = repository.git.filesAt(pull.headSha).get(`.releases/${version}/EVIDENCE.md`);
    const page = file ? repository.git.store.blob(file.sha).toString('utf8') : '';
    return page
      .slice(page.indexOf('| evidence |'))
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => {
        // As a reader sees it: without the escapes of Markdown and without the link to the run.
        const [, kind, environment, pipeline, result] = line.split(' | ').join('|').split('|').map(unescaped);
        return kind?.startsWith('---') ? [] : [[kind, environment, pipeline, result].join(' · ')];
      });
  }
}

const unescaped = (cell: string): string => cell.trim().replaceAll(/\\(?=[^A-Za-z0-9\s])|\u200B/g, '');

const isAsExpected = (answer: GateAnswer, { stage, canDeploy, because }: Expected): boolean =>
  answer.stage === stage &&
  answer.isOpen === canDeploy &&
  (because === undefined || answer.reasons.some(({ code }) => code === because));

/** Returns the head of the default branch. */
export function headOf(repository: Repository): string {
  const head = repository.git.branchHead(repository.defaultBranch);
  if (head === null) throw new Error(`${repository.fullName} has no ${repository.defaultBranch}`);
  return head;
}
