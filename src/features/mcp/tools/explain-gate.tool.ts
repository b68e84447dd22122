import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import type { Viewer } from '../../../database/database.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ARTIFACT_BINDINGS, ARTIFACT_DIGEST } from '../../../domain/artifact/artifact.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { REPORTED_STATES } from '../../../domain/history/reported-deployment.js';
import { ArtifactListService } from '../../artifacts/artifact-list.service.js';
import { ReportedDeploymentsService } from '../../history/reports/reported-deployments.service.js';
import { type GateAnswer, type GateRequest, GateService } from '../../releases/gate/gate.service.js';
import { NamedReleasesService } from '../named-releases.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import {
  CONDITION_SHAPE,
  OVERRIDE_SHAPE,
  REPOSITORY_ARGUMENT,
  TIMESTAMP_SHAPE,
  VERSION_ARGUMENT,
} from '../tool-schemas.js';

/** The reported deployments of a release are shown up to this number, latest first. */
const NEWEST_DEPLOYMENTS = { page: 1, pageSize: 25 } as const;

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT,
  version: VERSION_ARGUMENT,
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be 40 hexadecimal digits in lower case')
    .optional()
    .describe('Checks one commit: closed unless it is the candidate.'),
  digest: z
    .string()
    .regex(ARTIFACT_DIGEST, 'must be sha256: and 64 hexadecimal digits in lower case')
    .optional()
    .describe('Checks one artifact: closed unless the policy accepts it.'),
  environment: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must have 1 to 255 characters, none of them a control character')
    .optional()
    .describe('An environment before the target, which is the default.'),
});

const OUTPUT = z.object({
  version: z.string(),
  currentStage: z.enum(STAGES),
  evidencePrApproved: z.boolean(),
  testsPassing: z.boolean(),
  canDeploy: z.boolean(),
  candidateSha: z.string().nullable(),
  decisionId: z.uuid().nullable(),
  releaseUrl: z.url().nullable(),
  reasons: z.array(CONDITION_SHAPE),
  overrides: z.array(OVERRIDE_SHAPE),
  artifacts: z.array(
    z.object({ name: z.string(), digest: z.string(), binding: z.enum(ARTIFACT_BINDINGS), accepted: z.boolean() }),
  ),
  deployments: z.array(
    z.object({
      environment: z.string(),
      commitSha: z.string(),
      status: z.enum(REPORTED_STATES),
      startedAt: TIMESTAMP_SHAPE.nullable(),
      endedAt: TIMESTAMP_SHAPE.nullable(),
    }),
  ),
});

/** Returns the answer of the deploy gate with its reasons, like the gate route with `explain`, and which artifacts it is about. */
@Injectable()
export class ExplainGateTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'explain_gate';
  override readonly title = 'Explain the deploy gate';
  override readonly description =
    'Returns whether a release can be deployed now (`canDeploy`) and, if not, all `reasons` with the `actor` who can clear each; the `candidateSha` that would ship; the waivers and break-glass requests in effect (`overrides`); and its `artifacts` and reported `deployments`. Stale values are read from GitHub first, for at most three seconds. This grants nothing: a deployment checks the gate itself.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly gates: GateService,
    private readonly artifacts: ArtifactListService,
    private readonly deployments: ReportedDeploymentsService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repo, version, digest, sha, environment }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const [repository = '', owner = null] = repo.split('/').toReversed();
    const request = {
      owner,
      repository,
      version,
      digest: digest ?? null,
      sha: sha ?? null,
      explain: true,
      environment: environment ?? null,
    };
    const { gate, canDeploy, explanation } = await this.check(viewer, request, repo);
    const { artifacts } = await this.artifacts.list(viewer, gate.releaseId);
    const ofRelease = { repo: null, environment: null, milestoneId: gate.releaseId };
    const { items: deployments } = await this.deployments.readPage(viewer, ofRelease, NEWEST_DEPLOYMENTS);
    return {
      version,
      currentStage: gate.stage,
      evidencePrApproved: gate.evidenceApproved,
      testsPassing: gate.testsPassing,
      canDeploy,
      candidateSha: gate.candidateSha,
      decisionId: explanation?.decisionId ?? null,
      releaseUrl: explanation?.releaseUrl ?? null,
      reasons: explanation?.reasons ?? [],
      overrides: explanation?.overrides ?? [],
      artifacts,
      deployments,
    };
  }

  /** The gate may find a release that no delivery has reported. So names are suggested only after it found none. */
  private async check(
    viewer: Viewer,
    request: GateRequest & { readonly version: string },
    repo: string,
  ): Promise<GateAnswer> {
    try {
      return await this.gates.checkForViewer(viewer, request);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') {
        await this.names.getReleaseId(viewer, { repo, version: request.version });
      }
      throw error;
    }
  }
}
