import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { DEPLOYMENT_RECORD_KINDS } from '../../../domain/history/deployment.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { toHistoryFilter } from '../../history/history.dto.js';
import { HistoryService } from '../../history/history.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { OVERRIDE_SHAPE, PAGE_ARGUMENTS, PAGE_SHAPE, SEARCH_ARGUMENT, TIMESTAMP_SHAPE } from '../tool-schemas.js';

const DAY = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day as YYYY-MM-DD');

const INPUT = z.strictObject({
  repository: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/)
    .optional()
    .describe('Only this repository, as `owner/repo`.'),
  from: DAY.optional().describe('The first day, in UTC, as YYYY-MM-DD.'),
  to: DAY.optional().describe('The last day, in UTC, inclusive.'),
  kind: z.enum(DEPLOYMENT_RECORD_KINDS).optional().describe('Only deployments of this kind.'),
  environment: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)
    .optional()
    .describe('Only deployments to this environment, ignoring case.'),
  search: SEARCH_ARGUMENT.optional().describe(
    "A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash.",
  ),
  ...PAGE_ARGUMENTS,
});

const RECORD_SHAPE = z.object({
  id: z.uuid(),
  milestoneId: z.uuid().nullable().describe('Null if the deployment is not of a release.'),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string().describe('Without its organization.'),
  repoUrl: z.string(),
  version: z.string().nullable(),
  kind: z
    .enum(DEPLOYMENT_RECORD_KINDS)
    .describe('`ungoverned`: deployed without the gate. `rollback`: a release that was shipped before the last one.'),
  candidateSha: z.string(),
  candidateUrl: z.string(),
  environment: z.string(),
  deployedAt: TIMESTAMP_SHAPE,
  deployedBy: z.string().nullable(),
  approvers: z.array(z.string()),
  decisionId: z.uuid().nullable().describe('The decision that opened the gate.'),
  score: z.number().nullable(),
  leadTimeSeconds: z.int().nullable(),
  overrides: z.array(OVERRIDE_SHAPE.extend({ requestedBy: z.string(), confirmedBy: z.string() })),
  note: z.string().nullable(),
});

const OUTPUT = z.object({
  history: z.array(RECORD_SHAPE),
  repositories: z.array(z.string()).describe('All repositories in the history, regardless of the filter.'),
  pagination: PAGE_SHAPE,
});

/** Lists deployments. */
@Injectable()
export class HistoryTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'history';
  override readonly title = 'List deployments';
  override readonly description =
    'Lists the deployments to the targets of the repositories, latest first: releases, hotfixes, rollbacks and deployments without the gate, each with its approvers, decision and lead time.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly records: HistoryService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { page, pageSize, ...query }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const request = { page, pageSize };
    const { items, total, repositories } = await this.records.readPage(viewer, toHistoryFilter(query), request);
    return { history: items, repositories, pagination: pageInfo(request, total) };
  }
}
