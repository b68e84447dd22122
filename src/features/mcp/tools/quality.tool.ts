import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { EVIDENCE_KINDS } from '../../../domain/evidence/evidence.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { QualityService } from '../../quality/quality.service.js';
import { McpTool } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, RELEASE_GROUP_SHAPE, shownGroup } from '../tool-schemas.js';

const NAME_PATTERN = z.string().regex(/^[\w.-]{1,100}$/, 'must be a name without a slash');
const LABEL_PATTERN = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'must have 1 to 100 characters');

const INPUT = z.strictObject({
  owner: NAME_PATTERN.optional().describe('Only of this organization.'),
  repo: NAME_PATTERN.optional().describe('Only of this repository, without its organization.'),
  milestone: LABEL_PATTERN.optional().describe('Only this version, exactly.'),
  type: z.enum(EVIDENCE_KINDS).optional().describe('Only releases with a result of this type.'),
  environment: LABEL_PATTERN.optional().describe('Only releases with a result of this environment.'),
  ...PAGE_ARGUMENTS,
});

const OUTPUT = z.object({
  results: z.array(RELEASE_GROUP_SHAPE),
  choices: z
    .object({
      owners: z.array(z.string()),
      repos: z.array(z.string()),
      milestones: z.array(z.string()),
      types: z.array(z.enum(EVIDENCE_KINDS)),
      environments: z.array(z.string()),
    })
    .describe('What the arguments can be so that something is found.'),
  pagination: PAGE_SHAPE,
});

/** How good releases are by their evidence. */
@Injectable()
export class QualityTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'quality';
  override readonly title = 'How good releases are';
  override readonly description =
    'Lists the releases of which there is evidence, what received some last first: each with its scorecard, its results, how it differs from the release that was shipped before, and its flaky tests.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly quality: QualityService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { owner, repo, milestone, type, environment, ...page }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    const filter = {
      owner: owner ?? null,
      repo: repo ?? null,
      milestone: milestone ?? null,
      type: type ?? null,
      environment: environment ?? null,
    };
    const { items, total, choices } = await this.quality.readPage(viewer, filter, page);
    return {
      results: items.map(shownGroup),
      choices: {
        owners: [...choices.owners],
        repos: [...choices.repos],
        milestones: [...choices.milestones],
        types: [...choices.types],
        environments: [...choices.environments],
      },
      pagination: pageInfo(page, total),
    };
  }
}
