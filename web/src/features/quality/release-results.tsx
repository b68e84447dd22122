import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { describeMetrics } from '../../release-ui/describe-metrics.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { Sha } from '../../ui/links.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Row, Table } from '../../ui/table.js';
import { evidenceKinds } from '../../texts/en/evidence-kinds.js';
import { text as evidence } from '../../texts/en/evidence.js';
import { text } from '../../texts/en/quality.js';
import { resultsQuery } from './quality.query.js';

const VARIANTS: Readonly<Record<Schema<'QualityResult'>['status'], StatusKind>> = {
  passed: 'good',
  failed: 'failed',
  unmeasured: 'neutral',
};

/** The results behind a scorecard, the latest first. */
export function ReleaseResults({ group }: { readonly group: Schema<'ReleaseGroup'> }) {
  const { org } = useParams({ from: '/session/w/$org' });
  const query = useQuery(resultsQuery(group));
  return (
    <QueryRegion query={query} failed={text.resultsFailed} rows={Math.min(group.moreResults, 6)}>
      {({ results, moreResults }, isStale) => (
        <>
          <Table
            caption={text.showResults(results.length, `${group.repo} ${group.version}`)}
            columns={Object.values(text.resultColumns)}
            isStale={isStale}
          >
            {results.map((result) => (
              <Row key={`${result.evidenceId} ${result.type} ${result.environment}`}>
                <th scope="row">
                  <Link
                    to="/w/$org/releases/$id/evidence/$evidenceId"
                    params={{ org, id: group.milestoneId, evidenceId: result.evidenceId }}
                  >
                    {evidenceKinds[result.type]}
                  </Link>
                  <div className="quiet">
                    {result.pipeline} · {result.environment}
                  </div>
                </th>
                <td>
                  <StatusLabel kind={result.decides ? VARIANTS[result.status] : 'neutral'}>
                    {evidence.statuses[result.status]}
                  </StatusLabel>
                  {result.decides && <div className="quiet">{text.decides}</div>}
                </td>
                <td>
                  {describeMetrics(result.metrics).map(([name, numbers]) => (
                    <div key={name}>{numbers}</div>
                  ))}
                </td>
                <td>
                  <Sha sha={result.commitSha} />
                </td>
                <td>
                  <RelativeTime date={result.createdAt} />
                </td>
              </Row>
            ))}
          </Table>
          {moreResults > 0 && <p className="quiet">{text.moreResults(moreResults)}</p>}
        </>
      )}
    </QueryRegion>
  );
}
