import { Heading } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { describeMetrics } from '../../../release-ui/describe-metrics.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Facts } from '../../../ui/screen.js';
import { Row, Table } from '../../../ui/table.js';
import { text } from '../../../texts/en/evidence.js';
import { PartHead } from '../part-head.js';
import { Sentences } from '../sentences.js';
import { EvidenceResult } from './evidence-table.js';
import classes from './evidence.module.css';
import { FAILURES } from './failures.js';
import { uploadQuery } from './evidence.query.js';
import { Report } from './report.js';

const ROUTE = '/session/w/$org/releases/$id/evidence/$evidenceId';

/** One upload: where it came from, its contradictions, its results, and its reports. */
export function UploadScreen() {
  const { evidenceId, ...params } = useParams({ from: ROUTE });
  const query = useQuery(uploadQuery(params.id, evidenceId));
  const back = (
    <Link to="/w/$org/releases/$id/evidence" params={params} resetScroll={false}>
      {text.back}
    </Link>
  );
  return (
    <>
      {query.data === undefined && <p>{back}</p>}
      <QueryRegion query={query} failed={text.detailsFailed}>
        {(upload) => (
          <>
            <PartHead id={findFailing(upload) ? undefined : FAILURES} back={back}>
              {text.upload(upload.pipeline)}
            </PartHead>
            <Origin upload={upload} />
            {upload.flags.length > 0 && (
              <section className={classes['part']}>
                <Heading as="h3" variant="small">
                  {text.flags}
                </Heading>
                <Sentences items={upload.flags} />
              </section>
            )}
            <section className={classes['part']}>
              <Heading as="h3" variant="small">
                {text.items}
              </Heading>
              <Results items={upload.pieces} />
            </section>
            <section className={classes['part']}>
              <Heading as="h3" variant="small">
                {text.reports}
              </Heading>
              {upload.reports.length === 0 && <p className="quiet">{text.noReports}</p>}
              {upload.reports.map((report) => (
                <Report
                  key={report.id}
                  evidenceId={evidenceId}
                  report={report}
                  id={report === findFailing(upload) ? FAILURES : undefined}
                />
              ))}
            </section>
          </>
        )}
      </QueryRegion>
    </>
  );
}

/** The report with the entries of a failed result: the first one of its kind that has entries. Undefined if none has. */
function findFailing({ pieces, reports }: Schema<'EvidenceDetails'>): Schema<'EvidenceReport'> | undefined {
  const kinds = new Set<string>(pieces.filter(({ status }) => status === 'failed').map(({ type }) => type));
  return reports.find(
    ({ result }) => result !== null && kinds.has(result.kind) && result.failures.length + result.details.length > 0,
  );
}

function Origin({ upload }: { readonly upload: Schema<'EvidenceDetails'> }) {
  const { pipeline, environment, job, jobGroup, jobTotal, run, runUrl, commitSha, commitSource } = upload;
  const stated = describeMetrics(upload.metrics);
  return (
    <Facts
      entries={[
        [text.facts.pipeline, pipeline],
        [text.facts.environment, environment],
        [text.facts.job, job],
        [text.facts.group, jobGroup === null ? null : text.group(jobGroup, jobTotal)],
        [
          text.facts.run,
          run === null && runUrl === null ? null : (
            <>
              <ExternalLink href={runUrl}>{run ? text.runOf(run.id, run.attempt) : text.run}</ExternalLink>
              {run && <span className="quiet"> {run.proven ? text.proven : text.notProven}</span>}
            </>
          ),
        ],
        [
          text.facts.commit,
          <>
            <Sha sha={commitSha} /> <span className="quiet">{text.commitSources[commitSource]}</span>
          </>,
        ],
        [
          text.facts.uploaded,
          <>
            <RelativeTime date={upload.createdAt} /> <span className="quiet">{text.uploaders[upload.uploadedBy]}</span>
          </>,
        ],
        [text.facts.sha256, <code key="sha256">{upload.sha256}</code>],
        [
          text.facts.stated,
          stated.length === 0 ? null : stated.map(([name, numbers]) => <div key={name}>{`${name}: ${numbers}`}</div>),
        ],
      ]}
    />
  );
}

function Results({ items }: { readonly items: readonly Schema<'EvidenceItem'>[] }) {
  const { evidence, result, numbers } = text.columns;
  return (
    <Table caption={text.itemsCaption} columns={[evidence, result, numbers]}>
      {items.map((item) => (
        <Row key={item.type}>
          <th scope="row">
            {text.types[item.type] ?? item.type}
            <div className="quiet">{item.decides ? text.usedLabel : text.notUsedLabel}</div>
          </th>
          <td>
            <EvidenceResult item={item} />
          </td>
          <td>
            {describeMetrics(item.metrics).map(([name, described]) => (
              <div key={name}>{described}</div>
            ))}
          </td>
        </Row>
      ))}
    </Table>
  );
}
