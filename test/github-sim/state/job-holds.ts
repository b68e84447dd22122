import { protectionRulePayload } from '../views/environment-view.js';
import { ApiRejection } from './api-rejection.js';
import type { App } from './app.js';
import type { Deployment } from './deployments.js';
import type { Environment } from './environments.js';
import type { User } from './user.js';
import type { WorkflowJob, WorkflowRun } from './workflow-runs.js';

/** A job that waits longer for its environment fails. */
const LONGEST_WAIT_MS = 30 * 86_400_000;
const MINUTE_MS = 60_000;
/** The maximum number of reports without a decision that an app may send about one deployment. */
const MAX_REPORTS = 10;

/** A job that waits or waited for its environment, with its deployment. */
interface JobHold {
  readonly job: WorkflowJob;
  readonly environment: Environment;
  readonly deployment: Deployment;
  readonly requestedAt: Date;
  /** The ids of the apps that approved. */
  readonly agreed: Set<number>;
  /** The number of reports of each app, by its id. */
  readonly reports: Map<number, number>;
  isReviewed: boolean;
}

/** A decision or a report about the jobs of a run that waited for an environment. */
export interface HoldReview {
  readonly environment: Environment;
  readonly state: 'approved' | 'rejected' | 'pending';
  readonly user: User;
  readonly comment: string;
}

/** The jobs of a run that need an environment: the required approvals, the given ones, and their effects. */
export class JobHolds {
  /** Newest first, as GitHub lists them. */
  readonly reviews: HoldReview[] = [];
  private readonly holds: JobHold[] = [];

  constructor(private readonly run: WorkflowRun) {}

  /** Lets a job need an environment: creates its deployment, and sends each app with a rule a request. */
  request(name: string, environmentName: string): Deployment {
    const { run } = this;
    const { environments, deployments, state } = run.repository;
    const environment = environments.find(environmentName) ?? environments.create(environmentName);
    const job = run.hold(name);
    const deployment = deployments.create({ ref: run.sha, environment: environment.name });
    const hold: JobHold = {
      job,
      environment,
      deployment,
      requestedAt: state.now(),
      agreed: new Set(),
      reports: new Map(),
      isReviewed: false,
    };
    this.holds.push(hold);
    this.setStatus(hold, 'waiting');
    this.passIfAgreed(hold);
    if (isWaiting(hold)) for (const { app } of environment.rules) this.notify(hold, app);
    return deployment;
  }

  /** The environments that jobs wait for, each with the start of the wait and whether reviewers must approve. */
  pending(): readonly { readonly environment: Environment; readonly since: Date; readonly isReviewed: boolean }[] {
    const waiting = this.waiting();
    return [...new Set(waiting.map(({ environment }) => environment))].map((environment) => {
      const held = waiting.filter((hold) => hold.environment === environment);
      const since = new Date(Math.min(...held.map(({ requestedAt }) => requestedAt.getTime())));
      return { environment, since, isReviewed: held.every(({ isReviewed }) => isReviewed) };
    });
  }

  /** Applies the decision of an app with a rule to all jobs that wait for the environment. */
  decide(app: App, environment: Environment, state: 'approved' | 'rejected', comment: string): void {
    const waiting = this.waitingFor(environment);
    const open = waiting.filter(({ agreed }) => !agreed.has(app.id));
    if (open.length === 0) throw new ApiRejection('invalid', 'Deployment protection rule has already been reviewed');
    this.reviews.unshift({ environment, state, user: app.bot, comment });
    for (const hold of open) {
      if (state === 'rejected') this.fail(hold);
      else {
        hold.agreed.add(app.id);
        this.passIfAgreed(hold);
      }
    }
  }

  /** Records a report of an app without a decision about the jobs that wait for the environment. */
  report(app: App, environment: Environment, comment: string): void {
    const waiting = this.waitingFor(environment);
    if (waiting.some(({ reports }) => (reports.get(app.id) ?? 0) >= MAX_REPORTS)) {
      throw new ApiRejection('invalid', `Only ${MAX_REPORTS} status reports are allowed.`);
    }
    for (const { reports } of waiting) reports.set(app.id, (reports.get(app.id) ?? 0) + 1);
    this.reviews.unshift({ environment, state: 'pending', user: app.bot, comment });
  }

  /** Records the approval of a reviewer of the environment. */
  approve(environmentName: string, user: User): void {
    const environment = this.run.repository.environments.find(environmentName);
    if (!environment?.reviewers.includes(user)) throw new Error(`${user.login} may not review ${environmentName}`);
    const waiting = this.waitingFor(environment);
    this.reviews.unshift({ environment, state: 'approved', user, comment: '' });
    for (const hold of waiting) {
      hold.isReviewed = true;
      this.passIfAgreed(hold);
    }
  }

  /** Lets the jobs run as an administrator, whatever the rules of the environment require. */
  bypass(environmentName: string, user: User): void {
    const environment = this.run.repository.environments.find(environmentName);
    if (!environment?.canAdminsBypass) throw new Error(`The rules of ${environmentName} may not be bypassed`);
    const waiting = this.waitingFor(environment);
    this.reviews.unshift({ environment, state: 'approved', user, comment: 'Bypassed.' });
    for (const hold of waiting) this.pass(hold);
  }

  /** Completes every job that was approved, and its deployment with success. */
  finish(): void {
    for (const hold of this.holds) {
      if (hold.job.status !== 'queued') continue;
      this.run.start(hold.job.name);
      this.setStatus(hold, 'in_progress');
      this.setStatus(hold, 'success');
      this.run.complete(hold.job.name);
    }
  }

  private waitingFor(environment: Environment): readonly JobHold[] {
    const waiting = this.waiting().filter((hold) => hold.environment === environment);
    if (waiting.length > 0) return waiting;
    throw new ApiRejection('invalid', 'No pending deployment requests to approve or reject');
  }

  /** The jobs that wait now. First ends the waits whose timer or maximum is over. */
  private waiting(): readonly JobHold[] {
    const now = this.run.repository.state.now().getTime();
    for (const hold of this.holds.filter(isWaiting)) {
      if (now - hold.requestedAt.getTime() >= LONGEST_WAIT_MS) this.fail(hold);
      else this.passIfAgreed(hold);
    }
    return this.holds.filter(isWaiting);
  }

  private passIfAgreed(hold: JobHold): void {
    const { environment, agreed, requestedAt, isReviewed } = hold;
    const waited = this.run.repository.state.now().getTime() - requestedAt.getTime();
    const isAgreed =
      environment.rules.every(({ app }) => agreed.has(app.id)) &&
      (environment.reviewers.length === 0 || isReviewed) &&
      waited >= environment.waitMinutes * MINUTE_MS;
    if (isAgreed) this.pass(hold);
  }

  private pass(hold: JobHold): void {
    this.run.letGo(hold.job.name);
    this.setStatus(hold, 'queued');
  }

  private fail(hold: JobHold): void {
    this.setStatus(hold, 'failure');
    this.run.complete(hold.job.name, 'failure');
  }

  private setStatus({ deployment, job }: JobHold, state: 'waiting' | 'queued' | 'in_progress' | 'success' | 'failure') {
    const { repository, id } = this.run;
    const targetUrl = `${repository.htmlUrl}/actions/runs/${id}/job/${job.id}`;
    repository.deployments.setStatus(deployment, state, { targetUrl });
  }

  private notify({ environment, deployment }: JobHold, app: App): void {
    const { repository } = this.run;
    const payload = protectionRulePayload(this.run, environment, deployment);
    repository.emit('deployment_protection_rule', payload, repository.owner.founder, app);
  }
}

const isWaiting = ({ job }: JobHold): boolean => job.status === 'waiting';
