import { Inject, Injectable } from '@nestjs/common';
import type { CiCaller } from '../../auth/caller.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { sha256 } from '../../crypto/digests.js';
import { encodeForSignature } from '../../crypto/dsse.js';
import { Database, type Viewer } from '../../database/database.js';
import { toVisibleCondition } from '../../domain/facts/condition.js';
import { environmentRole } from '../../domain/policy/environments.js';
import { DEFAULT_POLICY } from '../../domain/policy/policy.js';
import { answerStoredEnvironment } from '../../domain/release/replay.js';
import { buildStatement, STATEMENT_PAYLOAD_TYPE } from '../../domain/statement/statement.js';
import { type CountByRepository, type GateAnswer, GateService } from '../releases/gate/gate.service.js';
import { SigningService } from '../signing/signing.service.js';
import type { StatementDto, StatementQuery } from './statements.dto.js';
import { environmentNotFound, nothingToState } from './statements.errors.js';
import { type StatedDecision, StatementsQueries } from './statements.queries.js';

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
    { digest = null, environment = null }: Nullable<StatementQuery, 'digest' | 'environment'>,
    count: CountByRepository,
  ): Promise<StatementDto> {
    const answer = await this.gate.explainById(caller, releaseId, { digest, environment }, count);
    const { decisionId = null } = answer.explanation ?? {};
    const decision =
      decisionId === null
        ? null
        : await this.database.inTenant(caller.orgId, (tx) =>
            this.statements.findDecision(
              tx,
              { releaseId: answer.gate.releaseId, decisionId },
              { digest, withInputs: environment !== null },
            ),
          );
    if (decisionId === null || decision === null) throw new Error('The gate was answered without a decision.');
    const place = findEnvironment(decision, environment);
    if (place === null) throw environmentNotFound();
    return this.sign(this.buildPayload(answer, { ...decision, decisionId }, { ...place, digest }));
  }

  private buildPayload(
    { gate, canDeploy, explanation }: GateAnswer,
    decision: StatedDecision & { readonly decisionId: string },
    { digest, name, isOpen }: StatedEnvironment & { readonly digest: string | null },
  ): string {
    const { candidateSha: commit } = decision;
    if (commit === null && digest === null) throw nothingToState();
    const openUntil = explanation?.openUntil ?? null;
    const { reasons = [], withMessages = false } = explanation ?? {};
    return buildStatement({
      service: this.environment.baseUrl,
      repositoryGithubId: decision.repositoryGithubId,
      environment: name,
      commit,
      digest,
      // The gate may close between its decision and its answer, and never opens without one.
      isOpen:
        canDeploy &&
        openUntil !== null &&
        isOpen &&
        commit !== null &&
        commit === gate.candidateSha &&
        (digest === null || decision.isAccepted),
      decisionId: decision.decisionId,
      decidedAt: decision.at,
      openUntil: openUntil ?? decision.at,
      policyDigest: decision.policyDigest,
      attestations: decision.isAccepted ? decision.attestations : [],
      reasons: canDeploy ? [] : reasons.map((reason) => toVisibleCondition(reason, withMessages)),
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

interface StatedEnvironment {
  /** As the policy writes it. */
  readonly name: string;
  /** Whether the decision alone opens the gate of the environment. */
  readonly isOpen: boolean;
}

/** Returns the environment that was asked for, by default the target. Null if the policy of the decision names no such one. */
function findEnvironment(
  { policy, inputs, isOpen }: StatedDecision,
  requested: string | null,
): StatedEnvironment | null {
  const known = policy ?? DEFAULT_POLICY;
  const { target } = known.deployment;
  const role = requested === null ? ({ kind: 'target' } as const) : environmentRole(known, requested);
  if (role.kind === 'target') return { name: target, isOpen };
  // Without a valid policy it is not known which environments there are, and the gate of each is closed.
  if (role.kind === 'unnamed') return policy === null && requested !== null ? { name: requested, isOpen: false } : null;
  const { name } = role.environment;
  const answer = inputs && answerStoredEnvironment(inputs, name, sha256);
  return { name, isOpen: answer?.kind === 'chain' && answer.reasons.length === 0 };
}
