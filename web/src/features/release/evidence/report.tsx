import { DownloadIcon } from '@primer/octicons-react';
import { Button, Heading, LinkButton } from '@primer/react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { downloadHref } from '../../../api/download-href.js';
import type { Schema } from '../../../api/client.js';
import { describeMetrics } from '../../../release-ui/describe-metrics.js';
import { Facts } from '../../../ui/screen.js';
import { Row, Table } from '../../../ui/table.js';
import { text } from '../../../texts/en/evidence.js';
import { Sentences } from '../sentences.js';
import classes from './evidence.module.css';
import { ReportTextView } from './report-text-view.js';

/** The number of details that are visible without a click. */
const FEW_DETAILS = 10;

interface ReportProps {
  readonly evidenceId: string;
  readonly report: Schema<'EvidenceReport'>;
  /** The id of its heading, if a link leads to it. */
  readonly id: string | undefined;
}

/** One file of an upload: its results, its text, and its download. It is never shown as a page. */
export function Report({ evidenceId, report, id: headingId }: ReportProps) {
  const { id, name, format, size, sha256, result } = report;
  const { org } = useParams({ from: '/session/w/$org' });
  const [isOpen, setIsOpen] = useState(false);
  const canView = format !== 'html';
  const toggle = isOpen ? text.hideText : text.viewText;
  return (
    <article className={classes['report']}>
      <Heading as="h4" variant="small" id={headingId} tabIndex={-1}>
        {name}
      </Heading>
      <Facts
        entries={[
          [text.report.format, format],
          [text.report.size, text.size(size)],
          [text.report.sha256, <code key="sha256">{sha256}</code>],
        ]}
      />
      {result ? <Result result={result} /> : <p className="quiet">{text.noResult}</p>}
      <div className={classes['actions']}>
        {canView && (
          <Button aria-expanded={isOpen} aria-label={text.actionOf(toggle, name)} onClick={() => setIsOpen(!isOpen)}>
            {toggle}
          </Button>
        )}
        <LinkButton
          leadingVisual={DownloadIcon}
          href={downloadHref(`/api/evidence/${evidenceId}/reports/${id}`, org)}
          download={name}
          aria-label={text.actionOf(text.download, name)}
        >
          {text.download}
        </LinkButton>
      </div>
      {!canView && <p className="quiet">{text.onlyDownload}</p>}
      {canView && isOpen && <ReportTextView evidenceId={evidenceId} reportId={id} name={name} />}
    </article>
  );
}

function Result({ result: { metrics, failures, notes, details } }: { readonly result: Schema<'ParsedReport'> }) {
  return (
    <>
      <Facts entries={describeMetrics(metrics)} />
      {failures.length > 0 && (
        <>
          <h5>{text.failures}</h5>
          <Sentences items={failures} />
        </>
      )}
      {notes.length > 0 && (
        <>
          <h5>{text.notes}</h5>
          <Sentences items={notes} />
        </>
      )}
      {details.length > 0 && (
        <details open={details.length <= FEW_DETAILS}>
          <summary>{text.details(details.length)}</summary>
          <Table caption={text.detailsCaption} columns={Object.values(text.detailColumns)}>
            {details.map(({ title, location, message }, at) => (
              // A report can contain the same entry twice.
              // eslint-disable-next-line react/no-array-index-key
              <Row key={at}>
                <th scope="row">{title}</th>
                <td>{location}</td>
                <td className={classes['message']}>{message}</td>
              </Row>
            ))}
          </Table>
        </details>
      )}
    </>
  );
}
