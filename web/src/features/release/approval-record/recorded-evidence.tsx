import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { describeMetrics } from '../../../release-ui/describe-metrics.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { withKeys } from '../../../ui/list-keys.js';
import { Section } from '../../../ui/section.js';
import { Row, Table } from '../../../ui/table.js';
import { text } from '../../../texts/en/approval-record.js';
import { formatBytes } from '../../../texts/en/bytes.js';
import { evidenceKinds } from '../../../texts/en/evidence-kinds.js';
import classes from '../sentences.module.css';
import { UtcTime } from './utc-time.js';

type ApprovalRecord = Schema<'ApprovalRecord'>;

/** The uploads that decided, with their files and digests. */
export function DecidingEvidence({ evidence, more }: Pick<ApprovalRecord, 'evidence'> & { readonly more: number }) {
  return (
    <Section title={text.evidence}>
      {evidence.length === 0 && <p>{text.noEvidence}</p>}
      {evidence.length > 0 && (
        <Table caption={text.evidenceCaption} columns={Object.values(text.evidenceColumns)}>
          {evidence.map((upload) => (
            <UploadRow key={upload.evidenceId} upload={upload} />
          ))}
        </Table>
      )}
      {more > 0 && <p>{text.moreEvidence(more)}</p>}
    </Section>
  );
}

function UploadRow({ upload }: { readonly upload: Schema<'RecordedEvidence'> }) {
  const params = useParams({ from: '/session/w/$org/releases/$id/approval' });
  const { evidenceId, types, pipeline, environment, job, metrics, runUrl, commitSha, uploadedBy, createdAt } = upload;
  const results = describeMetrics(metrics);
  return (
    <Row>
      <th scope="row">
        <Link to="/w/$org/releases/$id/evidence/$evidenceId" params={{ ...params, evidenceId }}>
          {types.map((type) => evidenceKinds[type]).join(', ')}
        </Link>
        <div className="quiet">{[pipeline, job, environment].filter((part) => part !== null).join(' · ')}</div>
      </th>
      <td>
        {results.map(([kind, numbers]) => (
          <div key={kind}>{results.length === 1 ? numbers : `${kind}: ${numbers}`}</div>
        ))}
      </td>
      <td>
        <UtcTime date={createdAt} />
        <div className="quiet">
          {text.uploadedBy[uploadedBy]}
          {runUrl !== null && (
            <>
              , <ExternalLink href={runUrl}>{text.run}</ExternalLink>
            </>
          )}
        </div>
        <div className="quiet">
          <Sha sha={commitSha} isWhole />
        </div>
      </td>
      <td>
        <Files upload={upload} />
      </td>
    </Row>
  );
}

function Files({ upload: { files, moreFiles } }: { readonly upload: Schema<'RecordedEvidence'> }) {
  if (files.length === 0) return text.noFiles;
  return (
    <ul className={classes['list']}>
      {withKeys(files, ({ name, sha256 }) => `${name} ${sha256}`).map(([key, { name, size, sha256 }]) => (
        <li key={key}>
          {name} <span className="quiet">({formatBytes(size)})</span>
          <div className="quiet">
            <code>{sha256}</code>
          </div>
        </li>
      ))}
      {moreFiles > 0 && <li>{text.moreFiles(moreFiles)}</li>}
    </ul>
  );
}

/** The evidence pull requests with the documents that Shipgate published there, and their signatures. */
export function PublishedDocuments({ pulls }: Pick<ApprovalRecord, 'pulls'>) {
  return (
    <Section title={text.pulls}>
      {pulls.length === 0 && <p>{text.noPulls}</p>}
      {pulls.map(({ number, url, ofDecision, openedAt, documents }) => (
        <section key={number} aria-label={text.pull(number)}>
          <p>
            <ExternalLink href={url}>{text.pull(number)}</ExternalLink>{' '}
            <StatusLabel kind={ofDecision ? 'opened' : 'neutral'}>
              {ofDecision ? text.ofDecision : text.otherSet}
            </StatusLabel>{' '}
            <span className="quiet">
              <UtcTime date={openedAt} />
            </span>
          </p>
          <ul className={classes['list']}>
            {documents.map((document) => (
              <DocumentEntry key={document.path} document={document} />
            ))}
          </ul>
        </section>
      ))}
    </Section>
  );
}

function DocumentEntry({ document: { path, sha256, signature } }: { readonly document: Schema<'PublishedDocument'> }) {
  return (
    <li>
      {path}
      <div className="quiet">
        SHA-256 <code>{sha256}</code>
      </div>
      <div className="quiet">
        {signature === null ? text.unsigned : text.signedBy(signature.algorithm, signature.keyId)}
      </div>
      {signature !== null && (
        <div className="quiet">
          {text.signature} <code>{signature.value}</code>
        </div>
      )}
    </li>
  );
}
