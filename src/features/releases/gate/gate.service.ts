import { Injectable } from '@nestjs/common';
import type { ApiKeyCaller, UnresolvedCredential } from '../../../auth/caller.js';
import { type GovernedRepository, mayReadDetailsOf, canReadGate } from '../../../auth/ci-permissions.js';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { differsOnlyInEvidence } from '../../../domain/facts/commit-ancestry.js';
import type { ComparisonFact, Sha } from '../../../domain/facts/facts.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import type { Condition } from '../../../domain/release/stage.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { type Asker, askerOf, LookUpBudget, personAsking } from '../discovery/look-up-budget.service.js';
import { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import { ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { ImmutableFactsService } from '../facts/immutable-facts.service.js';
import { GateQueries, type GateRecord, type GateQuestion, type StoredGate } from './gate.queries.js';

/** How long the gate waits for the code host before it answers by what it knows, in milliseconds. */
const REFRESH_DEADLINE_MS = 3_000;

export interface GateRequest extends GateQuestion {
  /** Asked about one commit: the gate is closed to any but the candidate. */
  readonly sha: Sha | null;
  readonly explain: boolean;
}

interface GateExplanation {
  readonly decisionId: string | null;
  readonly reasons: readonly Condition[];
  /** What people set aside, and by what. */
  readonly overrides: readonly AppliedOverride[];
  /** Whether whoever asks may read it in words, which may name branches, people and addresses of the repository. */
  readonly inWords: boolean;
}

export interface GateAnswer {
  readonly gate: StoredGate;
  readonly canDeploy: boolean;
  /** Null unless it was asked for. */
  readonly explanation: GateExplanation | null;
}

/** Counts a request of a key, once it is known for which of the key's repositories it is; null for none of them. */
export type CountByKey = (caller: ApiKeyCaller, repository: GovernedRepository | null) => Promise<void>;

/** Looks up what is asked about, for whoever asks, and whether they may read the repository; refuses one of which they may not know. */
type LookUp = () => Promise<Looked & { readonly isReader: boolean }>;

interface Looked {
  readonly orgId: OrgId;
  readonly asker: Asker;
  readonly found: GateRecord;
}

/** Answers whether a release may be deployed now. Whatever is not known to be right closes it. */
@Injectable()
export class GateService {
  constructor(
    private readonly reader: GateQueries,
    private readonly refresh: ReleaseRefreshService,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly facts: ImmutableFactsService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly budget: LookUpBudget,
  ) {}

  async check(credential: UnresolvedCredential, request: GateRequest, count: CountByKey): Promise<GateAnswer> {
    let isCounted = false;
    const countOnce: CountByKey = async (caller, repository) => {
      if (isCounted) return;
      isCounted = true;
      await count(caller, repository);
    };
    return this.answer(request, () => this.lookUp(credential, request, countOnce));
  }

  /** The same to a person, who may ask about every repository that they may read. */
  async checkForViewer(viewer: Viewer, request: GateRequest): Promise<GateAnswer> {
    return this.answer(request, async () => {
      const found = await this.reader.findForViewer(viewer, request);
      if (!found.repository) throw unknownRepository();
      return { orgId: viewer.orgId, asker: personAsking(viewer), found, isReader: true };
    });
  }

  private async answer(request: GateRequest, lookUp: LookUp): Promise<GateAnswer> {
    const { orgId, asker, found } = await lookUp();
    const gate = found.gate ?? (await this.lookAtHost({ orgId, asker, found }, request, lookUp));
    const now = this.clock.now();
    if (
      gate.validUntil > now &&
      !request.explain &&
      (request.sha === null || gate.candidateShas.includes(request.sha))
    ) {
      return { gate, canDeploy: isOpen(gate, now), explanation: null };
    }
    return this.checkClosely({ orgId, asker }, gate, request, lookUp);
  }

  /** Credential, tenant and release in one statement; refuses a key of other repositories as if there were none. */
  private async lookUp(credential: UnresolvedCredential, request: GateRequest, count: CountByKey): ReturnType<LookUp> {
    if (credential.kind === 'api_key') {
      const row = await this.reader.findByKey(credential.secretHash, request);
      const caller = await credential.admit(row?.key ?? null);
      const { repository } = row?.found ?? { repository: null };
      const isTheirs = repository !== null && canReadGate(caller, repository);
      await count(caller, isTheirs ? repository : null);
      if (!row || !isTheirs) throw unknownRepository();
      return {
        orgId: caller.orgId,
        asker: askerOf(caller),
        found: row.found,
        isReader: mayReadDetailsOf(caller, repository),
      };
    }
    const row = await this.reader.findByOwner(credential.claims.ownerGithubId, request);
    const caller = await credential.admit(row?.orgId ?? null);
    if (!row?.found.repository) throw unknownRepository();
    return {
      orgId: caller.orgId,
      asker: askerOf(caller),
      found: row.found,
      isReader: mayReadDetailsOf(caller, row.found.repository),
    };
  }

  /** The milestone may have been made a moment ago, or the webhook may be late. */
  private async lookAtHost(
    { orgId, asker, found: { repository } }: Looked,
    request: GateRequest,
    lookUp: LookUp,
  ): Promise<StoredGate> {
    if (repository && (await this.discovery.findOrDiscover(orgId, repository.id, request.version, asker))) {
      const { gate } = (await lookUp()).found;
      if (gate) return gate;
    }
    throw unknownVersion();
  }

  /** Reads what is too old, within the deadline, and answers by what is known then. */
  private async checkClosely(
    { orgId, asker }: Omit<Looked, 'found'>,
    stored: StoredGate,
    request: GateRequest,
    lookUp: LookUp,
  ): Promise<GateAnswer> {
    const cause = { cause: 'gate', actor: 'service' };
    const signal = AbortSignal.timeout(REFRESH_DEADLINE_MS);
    if (!(stored.validUntil > this.clock.now())) {
      await withinDeadline(this.refresh.refreshShared(orgId, stored.releaseId, cause), signal);
    }
    const comparison = await this.compare({ orgId, asker }, stored, request.sha, signal);
    const evaluation = await this.database.inTenant(orgId, (tx) =>
      this.evaluations.evaluateAndSave(tx, stored.releaseId, { ...cause, closesUnread: true }),
    );
    const { found, isReader } = await lookUp();
    const { gate } = found;
    // A rename may have given the name away meanwhile: what one release rests on says nothing of another.
    if (!evaluation || gate?.releaseId !== stored.releaseId) throw unknownVersion();

    const isCandidate = request.sha === null || isCandidateOf(gate, request.sha, comparison);
    const canDeploy = isCandidate && evaluation.verdict.gate.openUntil !== null && isOpen(gate, this.clock.now());
    const reasons = [...evaluation.verdict.gate.reasons, ...(isCandidate ? [] : [notTheCandidate(gate, request.sha)])];
    if (!request.explain) return { gate, canDeploy, explanation: null };
    const { decisionId, verdict } = evaluation;
    const inWords = isReader || (found.repository !== null && (await this.isPublic(orgId, found.repository.id)));
    return { gate, canDeploy, explanation: { decisionId, reasons, overrides: verdict.overrides, inWords } };
  }

  private async isPublic(orgId: OrgId, repositoryId: string): Promise<boolean> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    return repository?.private === false;
  }

  /** How a commit that is not known to be the candidate differs from it; null where that cannot be told. */
  private async compare(
    { orgId, asker }: Omit<Looked, 'found'>,
    gate: StoredGate,
    sha: Sha | null,
    signal: AbortSignal,
  ): Promise<ComparisonFact | null> {
    if (sha === null || gate.candidateSha === null || gate.candidateShas.includes(sha)) return null;
    const wanted = { kind: 'comparison', key: `${gate.candidateSha}...${sha}` } as const;
    const read = this.facts.read(orgId, gate.releaseId, wanted, { mayAsk: () => this.budget.take(asker), signal });
    return (await withinDeadline(read, signal)) ?? null;
  }
}

const isOpen = (gate: StoredGate, now: Date): boolean => gate.openUntil !== null && gate.openUntil > now;

const isCandidateOf = (gate: StoredGate, sha: Sha, comparison: ComparisonFact | null): boolean =>
  gate.candidateShas.includes(sha) ||
  (gate.candidateSha !== null && comparison !== null && differsOnlyInEvidence(comparison, gate.candidateSha));

const notTheCandidate = ({ candidateSha }: StoredGate, sha: Sha | null): Condition => ({
  code: 'not_the_candidate',
  detail: `The commit ${sha} is not the candidate${candidateSha === null ? '' : ` ${candidateSha}`}.`,
  actor: 'deployer',
});

const unknownRepository = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such repository, or this credential may not ask about it.');

const unknownVersion = (): DomainError =>
  new DomainError('not_found', 'The repository has no release of this version.');

/** What the work answers, or undefined where it does not in time; it goes on, and its failures are its own to log. */
async function withinDeadline<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return Promise.race([
    work.catch(() => undefined),
    new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    }),
  ]);
}
