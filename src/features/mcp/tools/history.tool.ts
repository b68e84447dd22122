import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import type { HistoryItem } from '../../history/history.queries.js';
import { HistoryService } from '../../history/history.service.js';
import { McpTool } from '../mcp-tool.js';
import { TIMESTAMP_SHAPE, OVERRIDE_SHAPE, PAGE_ARGUMENTS, PAGE_SHAPE, toOverride } from '../tool-schemas.js';

const DAY = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day as YYYY-MM-DD');

const INPUT = z.strictObject({
  repository: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/)
    .optional()
    .describe('Only this repository, as `owner/repo`.'),
  from: DAY.optional().describe('The first day, in UTC, as YYYY-MM-DD.'),
  to: DAY.optional().describe('The last day, in UTC, which belongs to it.'),
  ...PAGE_ARGUMENTS,
});

const RECORD_SHAPE = z.object({
  id: z.uuid(),
  milestoneId: z.uuid().nullable().describe('Null where what was deployed was no release.'),
  org: z.string(),
  repo: z.string().describe('Without its organization.'),
  version: z.string().nullable(),
  kind: z
    .enum(['release', 'hotfix', 'rollback', 'ungoverned'])
    .describe('`ungoverned` went past the gate; `rollback` is a release that was shipped before the last one.'),
  candidateSha: z.string(),
  environment: z.string(),
  deployedAt: TIMESTAMP_SHAPE,
  deployedBy: z.string().nullable(),
  approvers: z.array(z.string()),
  decisionId: z.uuid().nullable().describe('The decision by which the gate stood open.'),
  score: z.number().nullable(),
  leadTimeSeconds: z.int().nullable(),
  overrides: z.array(OVERRIDE_SHAPE.extend({ requestedBy: z.string(), confirmedBy: z.string() })),
  note: z.string().nullable(),
});

const OUTPUT = z.object({
  history: z.array(RECORD_SHAPE),
  repositories: z.array(z.string()).describe('Every repository of the whole history.'),
  pagination: PAGE_SHAPE,
});

/** What was deployed. */
@Injectable()
export class HistoryTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'history';
  override readonly title = 'What was deployed';
  override readonly description =
    'Lists the deployments to the targets of the repositories, the latest first: releases, hotfixes, rollbacks, and those that went past the gate; each with who approved it, what it rested on and how long it took.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly records: HistoryService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repository, from, to, ...page }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    const filter = { repository: repository ?? null, from: from ?? null, to: to ?? null };
    const { items, total, repositories } = await this.records.readPage(viewer, filter, page);
    return {
      history: items.map(toRecord),
      repositories: [...repositories],
      pagination: pageInfo(page, total),
    };
  }
}

const toRecord = (item: HistoryItem): z.input<typeof RECORD_SHAPE> => ({
  ...item,
  deployedAt: item.deployedAt.toISOString(),
  approvers: [...item.approvers],
  overrides: item.overrides.map((override) => ({
    ...toOverride(override),
    requestedBy: override.requestedBy,
    confirmedBy: override.confirmedBy,
  })),
});
