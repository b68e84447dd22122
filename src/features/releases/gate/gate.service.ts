import { Inject, Injectable } from '@nestjs/common';
import {
  type ApiKeyCaller,
  type CiCaller,
  type UnresolvedCredential,
  type RepositoryIds,
  canReadDetails,
  canReadGate,
} from '../../../auth/caller.js';
import { withinDeadline } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { acceptsDigest, digestNotAccepted } from '../../../domain/artifact/required-artifacts.js';
import { differsOnlyInEvidence } from '../../../domain/facts/commit-ancestry.js';
import type { Condition } from '../../../domain/facts/condition.js';
import type { ComparisonFact, Sha } from '../../../domain/facts/facts.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import { answerEnvironment } from '../../../domain/release/environment-gate.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { boundOpenUntil } from '../../../domain/release/open-until.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { RepositoriesRepository, type Repository } from '../../../workspaces/repositories.repository.js';
import { releasePageUrl } from '../../../workspaces/repository-url.js';
import {
  type LookupCaller,
  lookupKey,
  LookupBudgetService,
  userLookupKey,
} from '../discovery/lookup-budget.service.js';
import { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import { ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { ImmutableFactsService } from '../facts/immutable-facts.service.js';
import { digestNotFound, environmentNotFound, repositoryNotAccessible, versionNotFound } from '../releases.errors.js';
import { GateQueries, type GateRecord, type GateTarget, type StoredGate } from './gate.queries.js';

/** How long the gate waits for GitHub before it answers from stored facts, in milliseconds. */
const REFRESH_DEADLINE_MS = 3_000;

export type GateRequest = GateTarget & {
  /** If set, the gate is closed for every commit except the candidate. */
  readonly sha: Sha | null;
  readonly explain: boolean;
  /** An environment that the policy names. Null means the target. */
  readonly environment: string | null;
};

/** What a request asks about the gate of a release that was found. */
type GateCheck = Pick<GateRequest, 'sha' | 'explain' | 'digest' | 'environment'>;

interface GateExplanation {
  readonly decisionId: string | null;
  /** The time until which the answer stands; null if the gate is closed. */
  readonly openUntil: Date | null;
  readonly reasons: readonly Condition[];
  /** The overrides in effect. */
  readonly overrides: readonly AppliedOverride[];
  /** The page of the release; null if its repository was removed meanwhile. */
  readonly releaseUrl: string | null;
  /** Whether the caller may read the details, which may name branches, users and URLs of the repository. */
  readonly withMessages: boolean;
}

export interface GateAnswer {
  readonly gate: StoredGate;
  readonly canDeploy: boolean;
  /** The code of the first condition that keeps the gate closed; null if the gate is open, or if only time has closed it. */
  readonly reason: string | null;
  /** Null unless it was requested. */
  readonly explanation: GateExplanation | null;
}

/** Counts a request of an API key, once its repository is known; null if it is none of the key's repositories. */
export type CountByKey = (caller: ApiKeyCaller, repository: RepositoryIds | null) => Promise<void>;

/** Counts a request for a release, once its repository is known. */
export type CountByRepository = (repository: RepositoryIds) => Promise<void>;

/**
 * Finds the release for the caller, and whether the caller can read the repository. Throws if the caller may not learn that it
 * exists.
 */
type FindGate = () => Promise<FoundGate & { readonly isReader: boolean }>;

interface FoundGate {
  readonly orgId: OrgId;
  readonly caller: LookupCaller;
  readonly found: GateRecord;
}

/** Checks whether a release may be deployed now. Every fact that is not proven keeps the gate closed. */
@Injectable()
export class GateService {
  constructor(
    private readonly gates: GateQueries,
    private readonly refresh: ReleaseRefreshService,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly facts: ImmutableFactsService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly budget: LookupBudgetService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async check(credential: UnresolvedCredential, request: GateRequest, count: CountByKey): Promise<GateAnswer> {
    let isCounted = false;
    const countOnce: CountByKey = async (caller, repository) => {
      if (isCounted) return;
      isCounted = true;
      await count(caller, repository);
    };
    return this.answer(request, () => this.findGate(credential, request, countOnce));
  }

  /** Does the same for a user, for every repository that they can read. */
  async checkForViewer(viewer: Viewer, request: GateRequest): Promise<GateAnswer> {
    return this.answer(request, async () => {
      const found = await this.gates.findForViewer(viewer, request);
      if (!found.repository) throw repositoryNotAccessible();
      return { orgId: viewer.orgId, caller: userLookupKey(viewer), found, isReader: true };
    });
  }

  /**
   * Explains the gate of a release by its id. Throws `not_found` for a release whose gate the caller may not read, and for an environment
   * that the policy does not name.
   */
  async explainById(
    caller: CiCaller | Viewer,
    releaseId: string,
    asked: Pick<GateCheck, 'digest' | 'environment'>,
    count: CountByRepository,
  ): Promise<GateAnswer> {
    const findGate: FindGate = async () => {
      const found = await this.findById(caller, releaseId, asked.digest);
      if (!found.found.gate) throw releaseNotFound();
      return found;
    };
    const { orgId, caller: budget, found } = await findGate();
    if (!found.repository || !found.gate) throw releaseNotFound();
    await count(found.repository);
    return this.checkFresh({ orgId, caller: budget }, found.gate, { ...asked, sha: null, explain: true }, findGate);
  }

  private async findById(caller: CiCaller | Viewer, releaseId: string, digest: string | null): ReturnType<FindGate> {
    const { orgId } = caller;
    if (!('kind' in caller)) {
      const found = await this.database.asViewer(caller, (tx) => this.gates.findById(tx, releaseId, digest));
      return { orgId, caller: userLookupKey(caller), found, isReader: true };
    }
    const found = await this.database.inTenant(orgId, (tx) => this.gates.findById(tx, releaseId, digest));
    const { repository } = found;
    if (repository === null || !canReadGate(caller, repository)) throw releaseNotFound();
    return { orgId, caller: lookupKey(caller), found, isReader: canReadDetails(caller, repository) };
  }

  private async answer(request: GateRequest, findGate: FindGate): Promise<GateAnswer> {
    const { orgId, caller, found } = await findGate();
    const gate = found.gate ?? (await this.discover({ orgId, caller, found }, request, findGate));
    const now = this.clock.now();
    if (
      gate.validUntil > now &&
      !request.explain &&
      request.environment === null &&
      (request.sha === null || gate.candidateShas.includes(request.sha))
    ) {
      const isAccepted = isAcceptedDigest(gate, request.digest);
      const reason = gate.reason ?? (isAccepted ? null : NOT_THE_CANDIDATE);
      return { gate, canDeploy: isOpen(gate, now) && isAccepted, reason, explanation: null };
    }
    return this.checkFresh({ orgId, caller }, gate, request, findGate);
  }

  /**
   * Reads credential, tenant and release in one statement. A key of other repositories gets the same error as for an unknown
   * repository.
   */
  private async findGate(
    credential: UnresolvedCredential,
    request: GateRequest,
    count: CountByKey,
  ): ReturnType<FindGate> {
    if (credential.kind === 'api_key') {
      const row = await this.gates.findByKey(credential.secretHash, request);
      const caller = await credential.authorize(row?.key ?? null);
      const { repository } = row?.found ?? { repository: null };
      const isTheirs = repository !== null && canReadGate(caller, repository);
      await count(caller, isTheirs ? repository : null);
      if (!row || !isTheirs) throw repositoryNotAccessible();
      return {
        orgId: caller.orgId,
        caller: lookupKey(caller),
        found: row.found,
        isReader: canReadDetails(caller, repository),
      };
    }
    const row = await this.gates.findByOwner(credential.claims.ownerGithubId, request);
    const caller = await credential.authorize(row?.orgId ?? null);
    if (!row?.found.repository) throw repositoryNotAccessible();
    return {
      orgId: caller.orgId,
      caller: lookupKey(caller),
      found: row.found,
      isReader: canReadDetails(caller, row.found.repository),
    };
  }

  /** The milestone may be new, or its delivery may be late. */
  private async discover(
    { orgId, caller, found: { repository } }: FoundGate,
    request: GateRequest,
    findGate: FindGate,
  ): Promise<StoredGate> {
    if (request.version === null) throw digestNotFound();
    if (repository && (await this.discovery.findOrDiscover(orgId, repository.id, request.version, caller))) {
      const { gate } = (await findGate()).found;
      if (gate) return gate;
    }
    throw versionNotFound();
  }

  /** Refreshes stale facts within the deadline, and answers from the facts that are stored then. */
  private async checkFresh(
    { orgId, caller }: Omit<FoundGate, 'found'>,
    stored: StoredGate,
    request: GateCheck,
    findGate: FindGate,
  ): Promise<GateAnswer> {
    const cause = { cause: 'gate', actor: 'service' };
    const signal = AbortSignal.timeout(REFRESH_DEADLINE_MS);
    if (!(stored.validUntil > this.clock.now())) {
      await withinDeadline(this.refresh.refreshShared(orgId, stored.releaseId, cause), signal);
    }
    const comparison = await this.compare({ orgId, caller }, stored, request.sha, signal);
    const evaluation = await this.database.inTenant(orgId, (tx) =>
      this.evaluations.evaluateAndSave(tx, stored.releaseId, { ...cause, closesUnread: true }),
    );
    const { found, isReader } = await findGate();
    const { gate } = found;
    // After a rename the name may belong to another release. The facts of one release must not answer for another.
    if (!evaluation || gate?.releaseId !== stored.releaseId) throw versionNotFound();

    const place = request.environment === null ? null : answerEnvironment(evaluation.inputs, request.environment);
    if (place?.kind === 'unnamed') throw environmentNotFound();
    const isCandidate = request.sha === null || matchesCandidate(gate, request.sha, comparison);
    const { digest } = request;
    const isAccepted = isAcceptedDigest(gate, digest) && acceptsDigest(evaluation.verdict.artifacts, digest);
    const now = this.clock.now();
    const isOfChain = place?.kind === 'chain';
    const isOpenNow = isOfChain
      ? place.reasons.length === 0 && isOfVerdict(gate, evaluation.verdict, now)
      : evaluation.verdict.gate.openUntil !== null && isOpen(gate, now);
    const canDeploy = isCandidate && isAccepted && isOpenNow;
    const limit = isOfChain ? gate.validUntil : gate.openUntil;
    const reasons = [
      ...(isOfChain ? place.reasons : evaluation.verdict.gate.reasons),
      ...(isCandidate ? [] : [notTheCandidate(gate, request.sha)]),
      ...(isAccepted ? [] : [digestNotAccepted(digest)]),
    ];
    const reason = canDeploy ? null : (reasons[0]?.code ?? null);
    if (!request.explain) return { gate, canDeploy, reason, explanation: null };
    const { decisionId, verdict } = evaluation;
    const repository = found.repository && (await this.readRepository(orgId, found.repository.id));
    const withMessages = isReader || repository?.private === false;
    const releaseUrl = repository && releasePageUrl(this.environment, repository.org, stored.releaseId);
    return {
      gate,
      canDeploy,
      reason,
      explanation: {
        decisionId,
        openUntil: canDeploy && limit !== null ? boundOpenUntil(limit, now) : null,
        releaseUrl,
        reasons,
        overrides: verdict.overrides,
        withMessages,
      },
    };
  }

  private async readRepository(orgId: OrgId, repositoryId: string): Promise<Repository | null> {
    return this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
  }

  /** Compares a commit with the candidate to find out whether it is equivalent; null if that cannot be read. */
  private async compare(
    { orgId, caller }: Omit<FoundGate, 'found'>,
    gate: StoredGate,
    sha: Sha | null,
    signal: AbortSignal,
  ): Promise<ComparisonFact | null> {
    if (sha === null || gate.candidateSha === null || gate.candidateShas.includes(sha)) return null;
    const comparison = { kind: 'comparison', key: `${gate.candidateSha}...${sha}` } as const;
    const read = this.facts.read(orgId, gate.releaseId, comparison, {
      mayRequest: () => this.budget.consume(caller),
      signal,
    });
    return (await withinDeadline(read, signal)) ?? null;
  }
}

const isOpen = (gate: StoredGate, now: Date): boolean => gate.openUntil !== null && gate.openUntil > now;

/** Whether the stored row accepts the digest, if one was asked for. */
const isAcceptedDigest = (gate: StoredGate, digest: string | null): boolean =>
  digest === null || gate.ofDigest?.accepted === true;

/** Whether the stored row is the one of the verdict and is still valid. A change that came meanwhile invalidates the row. */
const isOfVerdict = (gate: StoredGate, { candidateSha }: Verdict, now: Date): boolean =>
  gate.validUntil > now && gate.candidateSha === candidateSha;

const matchesCandidate = (gate: StoredGate, sha: Sha, comparison: ComparisonFact | null): boolean =>
  gate.candidateShas.includes(sha) ||
  (gate.candidateSha !== null && comparison !== null && differsOnlyInEvidence(comparison, gate.candidateSha));

const NOT_THE_CANDIDATE = 'not_the_candidate';

const notTheCandidate = ({ candidateSha }: StoredGate, sha: Sha | null): Condition => ({
  code: NOT_THE_CANDIDATE,
  detail: `The commit ${sha} is not the candidate${candidateSha === null ? '' : ` ${candidateSha}`}.`,
  actor: 'deployer',
});
