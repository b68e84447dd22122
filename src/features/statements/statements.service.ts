import { Inject, Injectable } from '@nestjs/common';
import type { CiCaller } from '../../auth/caller.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { encodeForSignature } from '../../crypto/dsse.js';
import { Database, type Viewer } from '../../database/database.js';
import { toVisibleCondition } from '../../domain/facts/condition.js';
import { DEFAULT_POLICY } from '../../domain/policy/policy.js';
import { buildStatement, type StatementReason, STATEMENT_PAYLOAD_TYPE } from '../../domain/statement/statement.js';
import { type CountByRepository, type GateAnswer, GateService } from '../releases/gate/gate.service.js';
import { SigningService } from '../signing/signing.service.js';
import type { StatementDto, StatementQuery } from './statements.dto.js';
import { environmentNotFound, nothingToState } from './statements.errors.js';
import { type StatedDecision, StatementsQueries } from './statements.queries.js';

/** Whether an artifact belongs to the candidate and the policy accepts it. */
interface ArtifactCheck {
  readonly isAccepted: boolean;
  /** SHA-256 of the verified provenance bundles as they were uploaded. */
  readonly attestations: readonly string[];
  readonly reasons: readonly StatementReason[];
}

/**
 * Signs what the gate answers, so that others can verify it without the service. A statement is not stored: it follows from its stored
 * decision, the confirmation of that decision and the key, and Ed25519 is deterministic.
 */
@Injectable()
export class StatementsService {
  constructor(
    private readonly gate: GateService,
    private readonly statements: StatementsQueries,
    private readonly signing: SigningService,
    private readonly database: Database,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Returns the signed statement about the gate as it is now. Throws `not_found` for a release whose gate the caller may not read, and
   * for an environment that the policy does not name.
   */
  async getStatement(
    caller: CiCaller | Viewer,
    releaseId: string,
    { digest = null, environment }: Nullable<StatementQuery, 'digest'>,
    count: CountByRepository,
  ): Promise<StatementDto> {
    const answer = await this.gate.explainById(caller, releaseId, count);
    const { decisionId = null } = answer.explanation ?? {};
    const decision =
      decisionId === null
        ? null
        : await this.database.inTenant(caller.orgId, (tx) =>
            this.statements.findDecision(tx, answer.gate.releaseId, decisionId),
          );
    if (decisionId === null || decision === null) throw new Error('The gate was answered without a decision.');
    const name = findEnvironment(decision, environment ?? null);
    if (name === null) throw environmentNotFound();
    const payload = this.buildPayload(answer, { ...decision, decisionId }, { digest, environment: name });
    return this.sign(payload);
  }

  private buildPayload(
    { gate, canDeploy, explanation }: GateAnswer,
    decision: StatedDecision & { readonly decisionId: string },
    { digest, environment }: { readonly digest: string | null; readonly environment: string },
  ): string {
    const { candidateSha: commit } = decision;
    if (commit === null && digest === null) throw nothingToState();
    const artifact = digest === null ? NO_ARTIFACT : checkArtifact(digest);
    const openUntil = explanation?.openUntil ?? null;
    const { reasons = [], withMessages = false } = explanation ?? {};
    return buildStatement({
      service: this.environment.baseUrl,
      repositoryGithubId: decision.repositoryGithubId,
      environment,
      commit,
      digest,
      // The gate may close between its decision and its answer, and never opens without one.
      isOpen:
        canDeploy &&
        openUntil !== null &&
        decision.isOpen &&
        commit !== null &&
        commit === gate.candidateSha &&
        artifact.isAccepted,
      decisionId: decision.decisionId,
      decidedAt: decision.at,
      openUntil: openUntil ?? decision.at,
      policyDigest: decision.policyDigest,
      attestations: artifact.attestations,
      reasons: [
        ...(canDeploy ? [] : reasons.map((reason) => toVisibleCondition(reason, withMessages))),
        ...artifact.reasons.map(({ code, actor, ...rest }) => ({ code, actor, ...(withMessages && rest) })),
      ],
    });
  }

  private async sign(payload: string): Promise<StatementDto> {
    const bytes = Buffer.from(payload, 'utf8');
    const { keyId, sign } = await this.signing.getSigner();
    const signature = Buffer.from(sign(encodeForSignature(STATEMENT_PAYLOAD_TYPE, bytes)), 'base64url');
    return {
      payloadType: STATEMENT_PAYLOAD_TYPE,
      payload: bytes.toString('base64'),
      signatures: [{ keyid: keyId, sig: signature.toString('base64') }],
    };
  }
}

type Nullable<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]?: T[P] | null };

const NO_ARTIFACT: ArtifactCheck = { isAccepted: true, attestations: [], reasons: [] };

/** Returns whether the digest is an accepted artifact of the candidate. No artifacts are stored yet, so none is. */
const checkArtifact = (digest: string): ArtifactCheck => ({
  isAccepted: false,
  attestations: [],
  reasons: [
    { code: 'artifact_missing', actor: 'ci', detail: `${digest} is not an accepted artifact of the candidate.` },
  ],
});

/** Returns the name of the environment as the policy writes it; null if it names no such one. The gate answers for the target. */
function findEnvironment({ target }: StatedDecision, requested: string | null): string | null {
  const name = target ?? DEFAULT_POLICY.deployment.target;
  return requested === null || requested.toLowerCase() === name.toLowerCase() ? name : null;
}
