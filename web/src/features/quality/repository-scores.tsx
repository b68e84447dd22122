import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { LineChart } from '../../ui/charts.js';
import { QueryRegion } from '../../ui/query-region.js';
import { Row, Table } from '../../ui/table.js';
import { text } from '../../texts/en/quality.js';
import { GradeBadge } from './grade-badge.js';
import classes from './quality.module.css';
import { scoresQuery } from './quality.query.js';

/** The scores of the releases of one repository, as a line and as a table. Nothing if there are fewer than two. */
export function RepositoryScores({ repo }: { readonly repo: string }) {
  const heading = useId();
  const query = useQuery(scoresQuery(repo));
  if (query.data && query.data.results.length < 2) return null;
  return (
    <section className={classes['scores']} aria-labelledby={heading}>
      <h2 id={heading}>{text.scoresOf(repo)}</h2>
      <p className="quiet">{text.scoresOrder}</p>
      <QueryRegion query={query} failed={text.failed} rows={5}>
        {({ results, pagination }, isStale) => (
          <>
            <LineChart
              title={text.scoresTitle(repo)}
              points={results
                .map(({ milestoneId, version, scorecard }) => ({
                  id: milestoneId,
                  name: version,
                  value: scorecard.score,
                }))
                .toReversed()}
            />
            <Table caption={text.scoresCaption(repo)} columns={Object.values(text.scoreColumns)} isStale={isStale}>
              {results.map(({ milestoneId, version, scorecard: { grade, score } }) => (
                <Row key={milestoneId}>
                  <th scope="row">
                    <ReleaseLink id={milestoneId}>{version}</ReleaseLink>
                  </th>
                  <td>
                    <GradeBadge grade={grade} />
                  </td>
                  <td>{score === null ? text.noScore : text.score(score)}</td>
                </Row>
              ))}
            </Table>
            {pagination && pagination.total > results.length && (
              <p className="quiet">{text.scoresLimited(results.length)}</p>
            )}
          </>
        )}
      </QueryRegion>
    </section>
  );
}
