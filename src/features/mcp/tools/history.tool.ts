import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { DEPLOYMENT_RECORD_KINDS } from '../../../domain/history/deployment.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { toHistoryFilter } from '../../history/history.dto.js';
import { HistoryService } from '../../history/history.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import { DEPLOYMENT_SHAPE, PAGE_ARGUMENTS, PAGE_SHAPE, REPOSITORY_ARGUMENT, SEARCH_ARGUMENT } from '../tool-schemas.js';

const DAY = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day as YYYY-MM-DD');

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT.optional(),
  from: DAY.optional().describe('The first day, in UTC, as YYYY-MM-DD.'),
  to: DAY.optional().describe('The last day, in UTC, inclusive.'),
  kind: z.enum(DEPLOYMENT_RECORD_KINDS).optional().describe('Only deployments of this kind.'),
  environment: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must have 1 to 255 printable characters')
    .optional()
    .describe('Only deployments to this environment, ignoring case.'),
  search: SEARCH_ARGUMENT.optional(),
  ...PAGE_ARGUMENTS,
});

const OUTPUT = z.object({
  history: z.array(DEPLOYMENT_SHAPE),
  repositories: z.array(z.string()),
  environments: z.array(z.string()),
  pagination: PAGE_SHAPE,
});

/** Lists deployments. */
@Injectable()
export class HistoryTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'history';
  override readonly title = 'List deployments';
  override readonly description =
    'Lists the deployments to the targets of the repositories, latest first: releases, hotfixes, rollbacks and deployments without the gate, each with its approvers, decision and lead time. `repositories` lists all repositories in the history, whatever the filter.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly records: HistoryService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { page, pageSize, repo, ...query }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const request = { page, pageSize };
    const named = repo === undefined ? null : await this.names.getStoredRepository(viewer, repo);
    const filter = toHistoryFilter({ ...query, ...(named && { repository: `${named.org}/${named.name}` }) });
    const { items, total, ...choices } = await this.records.readPage(viewer, filter, request);
    return { history: items, ...choices, pagination: pageInfo(request, total) };
  }
}
