import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { EVIDENCE_KINDS } from '../../../domain/evidence/evidence.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { ApprovalRecordService } from '../../audit-pack/approval-record.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import {
  CONDITION_SHAPE,
  DEPLOYMENT_SHAPE,
  OVERRIDE_SHAPE,
  REPOSITORY_ARGUMENT,
  REVIEW_SHAPE,
  TIMESTAMP_SHAPE,
  VERSION_ARGUMENT,
} from '../tool-schemas.js';

const INPUT = z.strictObject({ repo: REPOSITORY_ARGUMENT, version: VERSION_ARGUMENT });

/**
 * The decision, with what was met and who had approved. Both are null if the rules have changed since, or if the decision does not follow
 * from its stored inputs.
 */
const DECISION_SHAPE = z.object({
  id: z.uuid(),
  at: TIMESTAMP_SHAPE,
  open: z.boolean(),
  stage: z.enum(STAGES),
  candidateSha: z.string().nullable(),
  policyDigest: z.string().nullable(),
  setDigest: z.string().nullable(),
  reasons: z.array(CONDITION_SHAPE),
  overrides: z.array(OVERRIDE_SHAPE),
  rules: z.string(),
  rulesChanged: z.boolean(),
  stages: z
    .array(z.object({ stage: z.enum(STAGES), met: z.array(z.object({ code: z.string(), detail: z.string() })) }))
    .nullable(),
  approvals: z
    .object({
      required: z.int().nullable(),
      given: z.int(),
      reviews: z.array(REVIEW_SHAPE),
    })
    .nullable(),
});

const OUTPUT = z.object({
  readAt: TIMESTAMP_SHAPE,
  release: z.object({
    milestoneId: z.uuid(),
    org: z.string(),
    repo: z.string(),
    version: z.string(),
    stage: z.enum(STAGES),
    milestoneUrl: z.string(),
    deployedAt: TIMESTAMP_SHAPE.nullable(),
    cancelledAt: TIMESTAMP_SHAPE.nullable(),
  }),
  decision: DECISION_SHAPE.nullable(),
  evidence: z.array(
    z.object({
      evidenceId: z.uuid(),
      types: z.array(z.enum(EVIDENCE_KINDS)),
      metrics: z.record(z.string(), z.unknown()),
      pipeline: z.string(),
      environment: z.string(),
      job: z.string().nullable(),
      runUrl: z.string().nullable(),
      commitSha: z.string(),
      uploadedBy: z.string(),
      sha256: z.string(),
      createdAt: TIMESTAMP_SHAPE,
      files: z.array(z.object({ name: z.string(), size: z.int(), sha256: z.string() })),
      moreFiles: z.int(),
    }),
  ),
  moreEvidence: z.int(),
  overrides: z.array(
    z.object({
      kind: z.enum(['waiver', 'break_glass']),
      id: z.uuid(),
      used: z.boolean(),
      reason: z.string(),
      details: z.array(z.string()),
      sha: z.string(),
      requestedBy: z.string(),
      requestedAt: TIMESTAMP_SHAPE,
      confirmedBy: z.string().nullable(),
      confirmedAt: TIMESTAMP_SHAPE.nullable(),
      withdrawnAt: TIMESTAMP_SHAPE.nullable(),
      expiresAt: TIMESTAMP_SHAPE,
    }),
  ),
  pulls: z.array(
    z.object({
      number: z.int(),
      url: z.string(),
      openedAt: TIMESTAMP_SHAPE,
      headSha: z.string(),
      setDigest: z.string(),
      ofDecision: z.boolean(),
      documents: z.array(
        z.object({
          path: z.string(),
          sha256: z.string(),
          signature: z.object({ algorithm: z.string(), keyId: z.string(), value: z.string() }).nullable(),
        }),
      ),
    }),
  ),
  deployments: z.array(DEPLOYMENT_SHAPE),
});

/** Returns how a release was approved, for an audit. */
@Injectable()
export class ApprovalRecordTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'approval_record';
  override readonly title = 'Show how a release was approved';
  override readonly description =
    'Returns the decision that opened the gate of a release for its deployment (before that, the newest one), with what was met and whose reviews counted, and the evidence with digests, all overrides ever requested, the evidence pull requests and the deployments. The record itself is not signed.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly records: ApprovalRecordService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run({ viewer }: PersonalKeyCaller, named: z.output<typeof INPUT>): Promise<ToolResult<typeof OUTPUT>> {
    return this.records.read(viewer, await this.names.getStoredReleaseId(viewer, named));
  }
}
