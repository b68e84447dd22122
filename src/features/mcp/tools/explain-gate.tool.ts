import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { GateService } from '../../releases/gate/gate.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { CONDITION_SHAPE, OVERRIDE_SHAPE, REPOSITORY_ARGUMENT, VERSION_ARGUMENT } from '../tool-schemas.js';

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT,
  version: VERSION_ARGUMENT,
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional()
    .describe('Checks one commit: the gate is closed unless it is the candidate.'),
});

const OUTPUT = z.object({
  version: z.string(),
  current_stage: z.enum(STAGES),
  evidence_pr_approved: z.boolean(),
  tests_passing: z.boolean(),
  can_deploy: z.boolean().describe('True only if every condition is known to be met.'),
  candidate_sha: z.string().nullable().describe('The commit that would ship.'),
  decision_id: z.uuid().nullable().describe('The stored decision behind this answer.'),
  release_url: z.url().nullable().describe('The page of the release.'),
  reasons: z.array(CONDITION_SHAPE).describe('All reasons why the gate is closed.'),
  overrides: z
    .array(OVERRIDE_SHAPE)
    .describe('The waivers and break-glass requests that this answer uses, with the conditions that they set aside.'),
});

/** Returns the answer of the deploy gate with its reasons, like the gate route with `explain`. */
@Injectable()
export class ExplainGateTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'explain_gate';
  override readonly title = 'Explain the deploy gate';
  override readonly description =
    'Returns whether a release can be deployed now and, if not, all reasons with the actor who can clear each. Stale values are read from GitHub first, for at most three seconds. This grants nothing: a deployment checks the gate itself.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly gates: GateService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repo, version, sha }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const [repository = '', owner = null] = repo.split('/').toReversed();
    const request = { owner, repository, version, sha: sha ?? null, explain: true };
    const { gate, canDeploy, explanation } = await this.gates.checkForViewer(viewer, request);
    return {
      version,
      current_stage: gate.stage,
      evidence_pr_approved: gate.evidenceApproved,
      tests_passing: gate.testsPassing,
      can_deploy: canDeploy,
      candidate_sha: gate.candidateSha,
      decision_id: explanation?.decisionId ?? null,
      release_url: explanation?.releaseUrl ?? null,
      reasons: explanation?.reasons ?? [],
      overrides: explanation?.overrides ?? [],
    };
  }
}
