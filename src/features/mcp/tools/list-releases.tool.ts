import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { OUTCOMES } from '../../../domain/release/outcome.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { ReleaseListService } from '../../releases/lists/release-list.service.js';
import { McpTool } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, RELEASE_SHAPE, SEARCH_ARGUMENT, shownRelease } from '../tool-schemas.js';

const INPUT = z.strictObject({
  search: SEARCH_ARGUMENT.optional().describe(
    "A part of a version or of a repository's name; of `owner/name` where it has a slash.",
  ),
  outcome: z.enum(OUTCOMES).optional().describe('Only releases with this outcome; any where absent.'),
  ...PAGE_ARGUMENTS,
});

const OUTPUT = z.object({
  releases: z.array(RELEASE_SHAPE),
  counts: z
    .object({
      all: z.int(),
      blocked: z.int(),
      needs_approval: z.int(),
      ready_to_deploy: z.int(),
      in_progress: z.int(),
    })
    .describe('Of all that match the search, whatever the outcome and the page.'),
  pagination: PAGE_SHAPE,
});

/** What the dashboard shows. */
@Injectable()
export class ListReleasesTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'list_releases';
  override readonly title = 'Releases on their way';
  override readonly description =
    'Lists the releases of the workspace that are neither shipped nor cancelled, those that changed last first, each with its stage, its outcome and the first of what keeps its gate closed. It answers what is stored; ask `explain_gate` before anything is deployed.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly dashboard: ReleaseListService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { search, outcome, ...page }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    const filter = { search: search ?? null, outcome: outcome ?? null };
    const { releases, counts } = await this.dashboard.listPage(viewer, filter, page);
    return {
      releases: releases.map(shownRelease),
      counts,
      pagination: pageInfo(page, counts[outcome ?? 'all']),
    };
  }
}
