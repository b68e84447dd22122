import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { GateService } from '../../releases/gate/gate.service.js';
import { McpTool } from '../mcp-tool.js';
import {
  CONDITION_SHAPE,
  OVERRIDE_SHAPE,
  REPOSITORY_ARGUMENT,
  toConditions,
  toOverride,
  VERSION_ARGUMENT,
} from '../tool-schemas.js';

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT,
  version: VERSION_ARGUMENT,
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional()
    .describe('Asks about one commit: the gate is closed unless it is the candidate.'),
});

const OUTPUT = z.object({
  version: z.string(),
  current_stage: z.enum(STAGES),
  evidence_pr_approved: z.boolean(),
  tests_passing: z.boolean(),
  can_deploy: z.boolean().describe('True only while every condition is positively known to hold.'),
  candidate_sha: z.string().nullable().describe('The commit that would ship.'),
  decision_id: z.uuid().nullable().describe('The stored decision that this answer rests on.'),
  reasons: z.array(CONDITION_SHAPE).describe('Why the gate is closed, everything at once.'),
  overrides: z
    .array(OVERRIDE_SHAPE)
    .describe('What two admins agreed to set aside, and what of it the answer rests on.'),
});

/** The deploy gate's answer with its reasons, as a CI run gets it with `explain`. */
@Injectable()
export class ExplainGateTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'explain_gate';
  override readonly title = 'The deploy gate, explained';
  override readonly description =
    'Says whether a release may be deployed now and, where not, everything that keeps its gate closed with who can clear it. What is too old is read from GitHub first, for three seconds at most. It grants nothing: a deployment asks the gate itself.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly gates: GateService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repo, version, sha }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
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
      reasons: toConditions(explanation?.reasons ?? []),
      overrides: (explanation?.overrides ?? []).map(toOverride),
    };
  }
}
