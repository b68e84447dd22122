import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type FactKey,
  type FactKind,
  type FactValues,
  listTimes,
  type MomentRange,
} from '../../../domain/facts/facts.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { Observed } from '../../../github/transport/github-clock.js';
import { GitHubError, type GitHubErrorKind } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import type { OrganizationDefault } from '../../../workspaces/repositories.repository.js';
import { PolicyFileService } from '../../policy/policy-file.service.js';
import { FactHintsRepository, type FactNumber } from './fact-hints.repository.js';
import { KnownDeploymentsQueries } from './known-deployments.queries.js';
import type { NumberedObservation } from './observations.repository.js';

/** The result of a read from GitHub: the facts, and the errors of the facts that could not be read. */
export interface FactReadResult {
  readonly observations: readonly NumberedObservation[];
  readonly failures: readonly GitHubError[];
}

/** A repository, and where the default policy of its organization is. */
export interface ObservableRepository {
  readonly orgId: OrgId;
  readonly id: string;
  readonly ref: RepositoryRef;
  readonly organizationDefault: OrganizationDefault | null;
}

type Read<K extends FactKind> = (
  repository: ObservableRepository,
  key: string,
  signal?: AbortSignal,
) => Promise<Observed<FactValues[K]>>;

/** Reads facts from GitHub. A fact that cannot be read is left out, and a missing fact never opens the gate. */
@Injectable()
export class FactReaderService {
  private readonly logger = new Logger(FactReaderService.name);
  /** The last failure of each fact, and of each installation that has to pause. */
  private readonly failing = new LRUCache<string, GitHubErrorKind>({ max: 10_000 });
  private readonly reads: { readonly [K in FactKind]: Read<K> };

  constructor(
    private readonly hints: FactHintsRepository,
    private readonly github: GitHubGateway,
    policies: PolicyFileService,
    knownDeployments: KnownDeploymentsQueries,
  ) {
    this.reads = {
      policy: ({ ref, organizationDefault }, _key, signal) => policies.readEffective(ref, organizationDefault, signal),
      milestone: ({ ref }, key, signal) => github.milestones.find(ref, Number(key), signal),
      issues: ({ ref }, key, signal) => github.issues.listByMilestone(ref, Number(key), signal),
      pulls_of_issue: ({ ref }, key, signal) => github.issues.linkedPulls(ref, Number(key), signal),
      refs: ({ ref }, key, signal) => github.branches.listByPrefix(ref, key, signal),
      history: ({ ref }, key, signal) => github.commits.history(ref, key, signal),
      comparison: ({ ref }, key, signal) => {
        const [base = '', head = ''] = key.split('...');
        return github.commits.compare(ref, base, head, signal);
      },
      checks: ({ ref }, key, signal) => github.checks.listByCommit(ref, key, signal),
      pull: ({ ref }, key, signal) => github.pulls.find(ref, Number(key), signal),
      reviews: ({ ref }, key, signal) => github.pulls.reviews(ref, Number(key), signal),
      permission: ({ ref }, key, signal) => github.repositories.permission(ref, key, signal),
      run_jobs: ({ ref }, key, signal) => github.workflowRuns.jobs(ref, Number(key), signal),
      deployments: ({ orgId, id: repositoryId, ref }, environment, signal) =>
        github.deployments.listSuccessful(
          ref,
          environment,
          (since) => {
            const earliest = since === null ? null : github.clock.toLocalRange(new Date(since)).earliest;
            return knownDeployments.list(orgId, { repositoryId, environment }, earliest);
          },
          signal,
        ),
      team: ({ ref }, key, signal) => github.teams.members(ref.installationId, ref.owner, key, signal),
    };
  }

  /** Takes the number of the read, unless the caller took it before it read the repository. */
  async read(
    repository: ObservableRepository,
    keys: readonly FactKey[],
    { signal, readNumber: taken }: { readonly signal?: AbortSignal; readonly readNumber?: FactNumber } = {},
  ): Promise<FactReadResult> {
    if (keys.length === 0) return { observations: [], failures: [] };
    // Taken before the first request: the responses may not contain changes whose hints come later.
    const readNumber = taken ?? (await this.hints.next());
    const results = await Promise.allSettled(keys.map((key) => this.observe(repository, key, readNumber, signal)));
    const observations: NumberedObservation[] = [];
    const failures: GitHubError[] = [];
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') {
        observations.push(result.value);
        this.logSuccess(repository, result.value);
      } else if (result.reason instanceof GitHubError) {
        failures.push(result.reason);
        this.logFailure(repository, keys[index]!, result.reason);
      } else throw result.reason;
    }
    return { observations, failures };
  }

  /** Logs a failure once until it ends, because every request to a gate may fail for the same reason. */
  private logFailure({ ref }: ObservableRepository, fact: FactKey, error: GitHubError): void {
    const key = error.kind === 'rate_limited' ? pauseKey(ref) : factKey(ref, fact);
    const isKnown = this.failing.get(key) === error.kind;
    this.failing.set(key, error.kind);
    const message = `A fact could not be read: ${fact.kind}: ${error.message}`;
    if (isKnown) this.logger.debug(message);
    else this.logger.warn(message);
  }

  private logSuccess({ ref }: ObservableRepository, fact: FactKey): void {
    this.failing.delete(factKey(ref, fact));
    if (this.failing.delete(pauseKey(ref)))
      this.logger.log(`Facts of installation ${ref.installationId} can be read again.`);
  }

  private async observe<K extends FactKind>(
    repository: ObservableRepository,
    { kind, key }: FactKey<K>,
    readNumber: FactNumber,
    signal?: AbortSignal,
  ): Promise<NumberedObservation> {
    const { value, observedAt } = await this.reads[kind](repository, key, signal);
    const moments = listTimes({ kind, value }).map((time): [string, MomentRange] => {
      const { earliest, latest } = this.github.clock.toLocalRange(new Date(time));
      return [time, [earliest.getTime(), latest.getTime()]];
    });
    const known = moments.length > 0 ? { moments: Object.fromEntries(moments) } : {};
    return { kind, key, value, observedAt, readNumber, ...known };
  }
}

/** GitHub allows no calls of an installation for a while, so each of its facts fails for the same reason. */
const pauseKey = ({ installationId }: RepositoryRef): string => String(installationId);
const factKey = ({ installationId, owner, name }: RepositoryRef, { kind, key }: FactKey): string =>
  `${installationId} ${owner}/${name} ${kind} ${key}`;
