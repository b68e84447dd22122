import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth, CurrentCaller, CurrentCredential } from '../../../auth/access.decorators.js';
import type { CiCaller, UnresolvedCredential } from '../../../auth/caller.js';
import { apiKeyRateLimitKey, repositoryRateLimitKey } from '../../../auth/rate-limit-key.js';
import { type Condition, toVisibleCondition } from '../../../domain/facts/condition.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RateLimitService } from '../../../http/rate-limit/rate-limit.service.js';
import { registerFastPath } from '../../../http/validation/validation.pipe.js';
import {
  type GateConditionDto,
  GateQuery,
  GateResult,
  isPlainGateQuery,
  ReleaseResolutionDto,
  ReleaseResolutionQuery,
} from './gate.dto.js';
import { GateMetrics } from './gate.metrics.js';
import { type CountByKey, GateService, type GateAnswer } from './gate.service.js';
import { ReleaseResolutionService } from './release-resolution.service.js';

const CLOSED_GATE: GateResult = {
  version: 'v1.4.0',
  current_stage: 'EVIDENCING',
  evidence_pr_approved: false,
  tests_passing: true,
  can_deploy: false,
};

// The validation of the query was the slowest part of a gate request, so plain queries skip it.
registerFastPath(GateQuery, isPlainGateQuery);

@ApiTags('milestones')
@Controller('api/milestones')
export class GateController {
  constructor(
    private readonly gate: GateService,
    private readonly resolution: ReleaseResolutionService,
    private readonly limits: RateLimitService,
    private readonly metrics: GateMetrics,
  ) {}

  @Get('check')
  @CiAuth('gate:read', { tenantBy: 'handler' })
  @RateLimited('gate')
  @ApiOperation({ summary: 'Check the deploy gate of a release' })
  @ApiOkResponse({
    type: GateResult,
    description: 'Whether the release may be deployed now. A fact that is not known closes the gate.',
    example: CLOSED_GATE,
  })
  @ErrorResponses({
    404: 'The workspace has no such repository, the repository has no release of this version or digest, or the policy names no such environment.',
  })
  async checkGate(
    @CurrentCredential() credential: UnresolvedCredential,
    @Query() query: GateQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GateResult> {
    // The guard has already counted requests of CI runs.
    const count: CountByKey = async ({ orgId }, repository) => {
      if (credential.kind === 'api_key')
        await this.limits.consume('key', apiKeyRateLimitKey(credential.secretHash), reply);
      await this.limits.consume('gate', repositoryRateLimitKey(orgId, repository), reply);
    };
    const answer = await this.metrics.observe(() => this.gate.check(credential, toGateRequest(query), count));
    return toGateResult(query.version ?? answer.gate.ofDigest?.version ?? '', answer);
  }

  @Get('resolve')
  @CiAuth('gate:read')
  // Each upload may look up its release. The separate limit leaves the gate's limit to deployments.
  @RateLimited('upload')
  @ApiOperation({ summary: 'Find the release that a CI run builds' })
  @ApiOkResponse({
    type: ReleaseResolutionDto,
    description:
      'The release by the naming and the branch patterns of the policy: the version in a tag or a release branch, or the only open release of the development branch.',
    example: {
      version: 'v1.4.0',
      because: '"refs/heads/main" is the development branch, and one open release is built from it.',
    },
  })
  @ErrorResponses({
    404: 'The workspace has no such repository, or the credential is not for it.',
    409: 'The `sdlc.yaml` of the repository is missing or not valid, and the reference names no version.',
  })
  async resolveRelease(
    @CurrentCaller() caller: CiCaller,
    @Query() { repo, ref, sha }: ReleaseResolutionQuery,
  ): Promise<ReleaseResolutionDto> {
    return this.resolution.resolve(caller, repo, { ref, sha: sha ?? null });
  }
}

function toGateRequest({
  repo,
  version,
  digest,
  sha,
  explain,
  environment,
}: GateQuery): Parameters<GateService['check']>[1] {
  const slash = repo.indexOf('/');
  return {
    owner: slash === -1 ? null : repo.slice(0, slash),
    repository: repo.slice(slash + 1),
    ...toTarget(version, digest),
    sha: sha ?? null,
    explain: explain === 'true',
    environment: environment ?? null,
  };
}

type GateKeys =
  | { readonly version: string; readonly digest: string | null }
  | { readonly version: null; readonly digest: string };

/** The validation rejects a query without both. */
function toTarget(version: string | undefined, digest: string | undefined): GateKeys {
  if (version !== undefined) return { version, digest: digest ?? null };
  if (digest !== undefined) return { version: null, digest };
  throw new DomainError('invalid', 'Send version, digest or both.');
}

function toGateResult(version: string, { gate, canDeploy, explanation }: GateAnswer): GateResult {
  const show = (condition: Condition): GateConditionDto =>
    toVisibleCondition(condition, explanation?.withMessages === true);
  return {
    version,
    current_stage: gate.stage,
    evidence_pr_approved: gate.evidenceApproved,
    tests_passing: gate.testsPassing,
    can_deploy: canDeploy,
    ...(explanation && {
      candidate_sha: gate.candidateSha,
      decision_id: explanation.decisionId,
      open_until: explanation.openUntil,
      release_id: gate.releaseId,
      release_url: explanation.releaseUrl,
      reasons: explanation.reasons.map(show),
      overrides: explanation.overrides.map(({ kind, id, reason, expiresAt, conditions }) => ({
        kind,
        id,
        ...(explanation.withMessages && { reason }),
        expiresAt,
        conditions: conditions.map(show),
      })),
    }),
  };
}
