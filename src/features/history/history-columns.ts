import type { TableColumn } from '../../export/table.js';
import type { DeploymentRecordDto, RecordedOverrideDto } from './history.dto.js';

/** The columns of an export, one row per deployment. */
export const HISTORY_COLUMNS: readonly TableColumn<DeploymentRecordDto>[] = [
  { heading: 'Deployed (UTC)', kind: 'moment', width: 20, of: ({ deployedAt }) => deployedAt },
  { heading: 'Organization', kind: 'text', width: 18, of: ({ org }) => org },
  { heading: 'Repository', kind: 'text', width: 26, of: ({ repo }) => repo },
  { heading: 'Version', kind: 'text', width: 16, of: ({ version }) => version },
  { heading: 'Kind', kind: 'text', width: 14, of: ({ kind }) => kind },
  { heading: 'Environment', kind: 'text', width: 16, of: ({ environment }) => environment },
  { heading: 'Deployed by', kind: 'text', width: 18, of: ({ deployedBy }) => deployedBy },
  { heading: 'Approvers', kind: 'text', width: 24, of: ({ approvers }) => listed(approvers, ', ') },
  { heading: 'Score', kind: 'decimal', width: 10, of: ({ score }) => score },
  { heading: 'Lead time (s)', kind: 'count', width: 17, of: ({ leadTimeSeconds }) => leadTimeSeconds },
  {
    heading: 'Overrides',
    kind: 'text',
    width: 48,
    of: ({ overrides }) => listed(overrides.map(describeOverride), ' '),
  },
  { heading: 'Note', kind: 'text', width: 48, of: ({ note }) => note },
  { heading: 'Commit', kind: 'id', width: 42, of: ({ candidateSha }) => candidateSha },
  { heading: 'Release id', kind: 'id', width: 38, of: ({ milestoneId }) => milestoneId },
  { heading: 'Decision id', kind: 'id', width: 38, of: ({ decisionId }) => decisionId },
  { heading: 'Deployment id', kind: 'id', width: 38, of: ({ id }) => id },
];

const OVERRIDE_NAMES = { waiver: 'Waiver', break_glass: 'Break-glass' } as const;

const describeOverride = ({ kind, requestedBy, confirmedBy, reason }: RecordedOverrideDto): string =>
  `${OVERRIDE_NAMES[kind]} by ${requestedBy}, confirmed by ${confirmedBy}: ${reason}`;

const listed = (texts: readonly string[], separator: string): string | null =>
  texts.length === 0 ? null : texts.join(separator);
