import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { describeMetrics } from '../../../release-ui/describe-metrics.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Row, Table } from '../../../ui/table.js';
import { text } from '../../../texts/en/evidence.js';
import { FAILURES } from './failures.js';
import { Sentences } from '../sentences.js';

type Item = Schema<'EvidenceItem'>;

interface EvidenceTableProps {
  readonly caption: string;
  readonly items: readonly Item[];
  readonly isStale: boolean;
}

/** Items of evidence, each with a link to its upload. */
export function EvidenceTable({ caption, items, isStale }: EvidenceTableProps) {
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  return (
    <Table caption={caption} columns={Object.values(text.columns)} isStale={isStale}>
      {items.map((item) => (
        <Row key={`${item.evidenceId}/${item.type}`}>
          <th scope="row">
            <Link
              to="/w/$org/releases/$id/evidence/$evidenceId"
              params={{ ...params, evidenceId: item.evidenceId }}
              hash={item.failures.length > 0 ? FAILURES : ''}
              resetScroll={false}
            >
              {text.types[item.type] ?? item.type}
            </Link>
            <div className="quiet">
              {item.environment} · {item.pipeline}
            </div>
          </th>
          <td>
            <EvidenceResult item={item} />
          </td>
          <td>
            {describeMetrics(item.metrics).map(([name, numbers]) => (
              <div key={name}>{numbers}</div>
            ))}
          </td>
          <td>
            <Sha sha={item.commitSha} />
          </td>
          <td>
            {item.runUrl === null ? (
              <span className="quiet">{text.noRun}</span>
            ) : (
              <ExternalLink href={item.runUrl}>{text.run}</ExternalLink>
            )}
          </td>
          <td>
            <RelativeTime date={item.createdAt} />
          </td>
        </Row>
      ))}
    </Table>
  );
}

/** The status of an item, and why it failed. Only an item that the verdict uses can look good. */
export function EvidenceResult({ item: { status, decides, failures } }: { readonly item: Item }) {
  const kinds: Readonly<Record<Item['status'], StatusKind>> = {
    passed: decides ? 'good' : 'neutral',
    failed: decides ? 'failed' : 'neutral',
    unmeasured: 'neutral',
  };
  return (
    <>
      <StatusLabel kind={kinds[status]}>{text.statuses[status]}</StatusLabel>
      {failures.length > 0 && <Sentences items={failures} />}
    </>
  );
}
