import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { Metrics } from '../observability/metrics.js';
import { AppIssues } from './api/app-issues.js';
import { Attestations } from './api/attestations.js';
import { Branches } from './api/branches.js';
import { CheckRuns, Checks } from './api/checks.js';
import { Commits } from './api/commits.js';
import { DeploymentReviews } from './api/deployment-reviews.js';
import { Deployments } from './api/deployments.js';
import { Environments } from './api/environments.js';
import { Installations } from './api/installations.js';
import { Issues, IssueAssignments } from './api/issues.js';
import { Milestones } from './api/milestones.js';
import { OAuth } from './api/oauth.js';
import { Organizations, Teams } from './api/organizations.js';
import { OpenPullRequests, PullRequests } from './api/pull-requests.js';
import { Repositories } from './api/repositories.js';
import { RepositoryCalls } from './api/repository-calls.js';
import { Rulesets } from './api/rulesets.js';
import { UserAccess, Users } from './api/users.js';
import { WebhookDeliveries } from './api/webhook-deliveries.js';
import { WorkflowRuns } from './api/workflow-runs.js';
import { GitHubSettings } from './github-settings.js';
import type { BudgetStatus } from './transport/api-transport.js';
import { GitHubClient } from './transport/github-client.js';
import { GitHubClock } from './transport/github-clock.js';

/**
 * The only access to GitHub, with one member per resource. Every read states when it was observed. Every failure is a
 * `GitHubError`. A call about a repository reads and writes only the repository with the given id.
 */
@Injectable()
export class GitHubGateway {
  readonly repositories: Repositories;
  readonly milestones: Milestones;
  readonly issues: Issues;
  readonly appIssues: AppIssues;
  readonly issueAssignments: IssueAssignments;
  readonly branches: Branches;
  readonly commits: Commits;
  readonly checks: Checks;
  readonly checkRuns: CheckRuns;
  readonly workflowRuns: WorkflowRuns;
  readonly attestations: Attestations;
  readonly pulls: PullRequests;
  readonly openPullRequests: OpenPullRequests;
  readonly deployments: Deployments;
  readonly deploymentReviews: DeploymentReviews;
  readonly environments: Environments;
  readonly rulesets: Rulesets;
  readonly teams: Teams;
  readonly installations: Installations;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly organizations: Organizations;
  readonly users: Users;
  readonly userAccess: UserAccess;
  readonly oauth: OAuth;
  /** Translates times of GitHub to times of our clock. */
  readonly clock = new GitHubClock();
  private readonly client: GitHubClient;

  /** `metrics` is missing in console commands. */
  constructor(settings: GitHubSettings, clock: Clock, @Optional() metrics?: Metrics) {
    this.client = new GitHubClient(settings, clock, this.clock, metrics);
    const calls = new RepositoryCalls(this.client, clock);
    this.repositories = new Repositories(calls);
    this.milestones = new Milestones(calls);
    this.issues = new Issues(calls);
    this.appIssues = new AppIssues(calls);
    this.issueAssignments = new IssueAssignments(calls);
    this.branches = new Branches(calls);
    this.commits = new Commits(calls, settings);
    this.workflowRuns = new WorkflowRuns(calls, clock);
    this.checks = new Checks(calls, this.workflowRuns);
    this.checkRuns = new CheckRuns(calls, settings);
    this.attestations = new Attestations(calls, clock);
    this.pulls = new PullRequests(calls);
    this.openPullRequests = new OpenPullRequests(calls);
    this.deployments = new Deployments(calls, clock);
    this.deploymentReviews = new DeploymentReviews(calls);
    this.environments = new Environments(calls, clock);
    this.rulesets = new Rulesets(calls, clock);
    this.teams = new Teams(this.client, clock);
    this.installations = new Installations(this.client, clock);
    this.webhookDeliveries = new WebhookDeliveries(this.client, clock);
    this.organizations = new Organizations(this.client, this.installations, clock);
    this.users = new Users(this.client, clock);
    this.userAccess = new UserAccess(this.client, clock);
    this.oauth = new OAuth(settings, clock);
  }

  /** Returns the status of each rate-limit budget, for monitoring. */
  budgets(): readonly BudgetStatus[] {
    return this.client.budgets();
  }
}
