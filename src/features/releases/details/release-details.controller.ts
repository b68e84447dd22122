import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { Member } from '../../../auth/caller.js';
import type { Policy, RequiredCheck } from '../../../domain/policy/policy.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ReleaseDetailsDto, ReleaseDetailsQuery } from './release-details.dto.js';
import type { ObservedValue, ReleaseDetails } from './release-details.queries.js';
import { ReleaseDetailsService, type ReleaseWithUsers } from './release-details.service.js';
import type { PolicyRulesDto, RequiredCheckDto } from './release-policy.dto.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones/:id')
export class ReleaseDetailsController {
  constructor(private readonly releases: ReleaseDetailsService) {}

  @Get()
  @Requires('member', { personalKey: 'read' })
  @ApiOperation({ summary: 'Get the details of a release: its stages and the facts behind them' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the release.' })
  @ApiOkResponse({
    type: ReleaseDetailsDto,
    description:
      'The facts are read from GitHub within 3 seconds, unless only stored ones are requested. A fact that could not be read in time is unknown, with the reason.',
  })
  @ErrorResponses({ 404: 'The workspace has no such release, or you cannot read it.' })
  async read(
    @CurrentCaller() caller: Member,
    @Param('id') id: string,
    @Query() { look = 'live' }: ReleaseDetailsQuery,
  ): Promise<ReleaseDetailsDto> {
    return toDto(await this.releases.read(caller, id, look));
  }
}

function toDto(details: ReleaseWithUsers): ReleaseDetailsDto {
  const { summary, verification, stages, reasons, warnings, overrides, transitions } = details;
  return {
    release: summary,
    verification: { status: verification.status, reason: verification.reason },
    stages,
    reasons,
    warnings,
    overrides: overrides.map(({ kind, id, reason, expiresAt, conditions }) => ({
      kind,
      id,
      reason,
      expiresAt,
      conditions,
    })),
    scope: toScopeDto(details),
    evidence: details.evidence.map(toEvidenceDto),
    moreEvidence: details.moreEvidence,
    checks: toChecksDto(details),
    transitions: transitions.map(({ from, to, cause, actor, at }) => ({ from, to, cause, actor, at })),
    policy: toPolicyDto(details),
    approvals: toApprovalsDto(details),
    viewer: details.viewer,
  };
}

const observation = ({ status, reason, observedAt }: ObservedValue<unknown>) => ({ status, reason, observedAt });

const toScopeDto = ({ scope }: ReleaseDetails): ReleaseDetailsDto['scope'] => ({
  ...observation(scope),
  issues: (scope.value ?? []).map(({ number, title, state, assignees, labels, url }) => ({
    number,
    title,
    state,
    owners: assignees,
    labels,
    url,
  })),
});

const toEvidenceDto = ({
  item,
  evidenceId,
  status,
  failures,
  decides,
  runUrl,
}: ReleaseDetails['evidence'][number]): ReleaseDetailsDto['evidence'][number] => ({
  evidenceId,
  type: item.kind,
  environment: item.environment,
  pipeline: item.pipeline,
  commitSha: item.commitSha,
  status,
  failures,
  decides,
  metrics: item.metrics,
  runUrl,
  createdAt: item.receivedAt,
});

const toChecksDto = ({ summary, checks }: ReleaseDetails): ReleaseDetailsDto['checks'] => ({
  ...observation(checks),
  commitSha: summary.candidateSha,
  reported: (checks.value ?? []).map(({ name, app, state, url }) => ({ name, app, state, url })),
});

function toPolicyDto({ policy }: ReleaseDetails): ReleaseDetailsDto['policy'] {
  const { value } = policy;
  const known =
    value?.status === 'valid'
      ? { digest: value.digest, rules: toRulesDto(value.policy) }
      : { digest: null, rules: null };
  return { ...observation(policy), state: value?.status ?? null, ...known };
}

function toApprovalsDto({ approvals, users }: ReleaseWithUsers): ReleaseDetailsDto['approvals'] {
  const { status, reason, observedAt, required, given, reviews, eligible } = approvals;
  const toReviewer = ({ userId, login }: { readonly userId: number; readonly login: string }) => ({
    login,
    avatarUrl: users.get(userId)?.avatarUrl ?? null,
  });
  return {
    status,
    reason,
    observedAt,
    required,
    given,
    reviews: reviews.map((review) => ({
      ...toReviewer(review),
      state: review.state,
      commitSha: review.commitSha,
      submittedAt: review.submittedAt,
      counts: review.counts,
      reason: review.reason,
    })),
    eligible: { teams: eligible.teams, users: eligible.users?.map(toReviewer) ?? null },
  };
}

const toRulesDto = (policy: Policy): PolicyRulesDto => ({
  ...policy,
  development: { ...policy.development, requiredChecks: policy.development.requiredChecks.map(toCheckDto) },
  testing: { ...policy.testing, requiredChecks: policy.testing.requiredChecks.map(toCheckDto) },
});

const toCheckDto = ({ name, app, allowSkipped }: RequiredCheck): RequiredCheckDto => ({
  name,
  app,
  allowSkipped: allowSkipped === true,
});
