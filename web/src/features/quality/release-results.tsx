import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel, type StatusLook } from '../../release-ui/status-label.js';
import { Sha } from '../../ui/links.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Table } from '../../ui/table.js';
import { evidenceKinds } from '../../words/en/evidence-kinds.js';
import { text } from '../../words/en/quality.js';
import { formatMetrics } from './format-metrics.js';
import { resultsQuery } from './quality.query.js';

/** Green is for results that the verdict uses; older ones are neutral. */
function findLook({ status, decides }: Schema<'QualityResult'>): StatusLook {
  if (status === 'failed') return 'failed';
  return status === 'passed' && decides ? 'good' : 'neutral';
}

/** The results behind a scorecard, the latest first. */
export function ReleaseResults({ group }: { readonly group: Schema<'ReleaseGroup'> }) {
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
              <tr key={`${result.evidenceId} ${result.type} ${result.environment}`}>
                <th scope="row">
                  <ReleaseLink id={group.milestoneId} part={`evidence/${result.evidenceId}`}>
                    {evidenceKinds[result.type]}
                  </ReleaseLink>
                  <div className="quiet">
                    {result.pipeline} · {result.environment}
                  </div>
                </th>
                <td>
                  <StatusLabel look={findLook(result)}>{text.statuses[result.status]}</StatusLabel>
                  {result.decides && <div className="quiet">{text.decides}</div>}
                </td>
                <td>{formatMetrics(result)}</td>
                <td>
                  <Sha sha={result.commitSha} />
                </td>
                <td>
                  <RelativeTime date={result.createdAt} />
                </td>
              </tr>
            ))}
          </Table>
          {moreResults > 0 && <p className="quiet">{text.moreResults(moreResults)}</p>}
        </>
      )}
    </QueryRegion>
  );
}
