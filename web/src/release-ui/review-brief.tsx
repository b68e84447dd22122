import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client.js';
import { ExternalLink, Sha } from '../ui/links.js';
import { QueryRegion } from '../ui/query-region.js';
import { withKeys } from '../ui/list-keys.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Facts } from '../ui/screen.js';
import { approvalsText } from '../texts/en/release-parts.js';
import { text } from '../texts/en/review-brief.js';
import { OverrideSummary } from './override-summary.js';
import { reviewBriefQuery } from './review-brief.query.js';
import classes from './review-brief.module.css';
import { StatusLabel } from './status-label.js';

type Brief = Schema<'ReviewBrief'>;

/** What a reviewer must know about a release: what changed since the last shipped one, and their own last review. */
export function ReviewBrief({ id }: { readonly id: string }) {
  const query = useQuery(reviewBriefQuery(id));
  return (
    <QueryRegion query={query} failed={text.failed} rows={7}>
      {(brief) => (
        <div className={classes['brief']}>
          <Facts
            entries={[
              [text.changes, <Changes key="changes" brief={brief} />],
              [text.issues, <Issues key="issues" scope={brief.scope} />],
              [text.tests, <Tests key="tests" brief={brief} />],
              [text.quality, <Quality key="quality" brief={brief} />],
              [text.findings, <Findings key="findings" brief={brief} />],
              [text.waived, <Waived key="waived" overrides={brief.overrides} />],
              [text.ownReview, <OwnReview key="own" review={brief.ownReview} />],
            ]}
          />
        </div>
      )}
    </QueryRegion>
  );
}

function Changes({ brief: { since } }: { readonly brief: Brief }) {
  if (since === null) return <span className="quiet">{text.firstRelease}</span>;
  const { version, comparisonUrl, changes } = since;
  return (
    <>
      {changes === null ? (
        <span className="quiet">{text.notCompared}</span>
      ) : (
        <Entries
          title={text.changed(changes)}
          count={changes.files}
          entries={changes.paths.map((path) => (
            <code key={path}>{path}</code>
          ))}
        />
      )}{' '}
      {comparisonUrl !== null && <ExternalLink href={comparisonUrl}>{text.compare(version)}</ExternalLink>}
    </>
  );
}

function Issues({ scope: { status, reason, open, closed, issues } }: { readonly scope: Brief['scope'] }) {
  return (
    <>
      <Entries
        title={text.issueCounts(open, closed)}
        count={open + closed}
        entries={issues.map(({ number, title, url }) => (
          <ExternalLink key={number} href={url}>
            {text.issue(number, title)}
          </ExternalLink>
        ))}
      />
      {status === 'unknown' && reason !== null && (
        <>
          {' '}
          <StatusLabel kind="unknown">{text.notCurrent}</StatusLabel> <span lang="en">{reason}</span>
        </>
      )}
    </>
  );
}

function Tests({ brief: { since, tests } }: { readonly brief: Brief }) {
  const { now, before, change, flaky, comparison } = tests;
  const isWithoutNames = since !== null && comparison === 'known' && change === null;
  const note = isWithoutNames ? text.noNamesBefore : text.comparison[comparison];
  return (
    <>
      <div>
        {now === null ? text.noTests : text.counts(now)}
        {before !== null && <span className="quiet"> {text.before(before)}</span>}
      </div>
      {note !== null && (
        <div className="quiet" role={comparison === 'pending' ? 'status' : undefined}>
          {note}
        </div>
      )}
      {change !== null && (
        <>
          {change.newFailures.count + change.fixedTests.count + change.lostTests.count === 0 && (
            <div className="quiet">{text.sameTests}</div>
          )}
          <Names kind="failed" sample={change.newFailures} toTitle={text.newFailures} />
          <Names kind="lost" sample={change.lostTests} toTitle={text.lostTests} />
          <Names kind="neutral" sample={change.fixedTests} toTitle={text.fixedTests} />
        </>
      )}
      {flaky !== null && <Names kind="lost" sample={flaky} toTitle={text.flakyTests} />}
    </>
  );
}

interface NamesProps {
  readonly kind: 'failed' | 'lost' | 'neutral';
  readonly sample: Schema<'TestSample'>;
  readonly toTitle: (count: number) => string;
}

/** Tests by name. Nothing if there are none. */
function Names({ kind, sample: { count, names }, toTitle }: NamesProps) {
  if (count === 0) return null;
  return (
    <Entries
      title={<StatusLabel kind={kind}>{toTitle(count)}</StatusLabel>}
      count={count}
      entries={names.map((name) => (
        <code key={name}>{name}</code>
      ))}
    />
  );
}

function Quality({ brief: { scorecard, change } }: { readonly brief: Brief }) {
  const { score, grade, categories } = scorecard;
  const coverage = categories.find(({ name }) => name === 'coverage');
  return (
    <>
      <div>
        {score === null ? text.noScore : text.score(score, grade)}
        {typeof change?.score === 'number' && <span className="quiet"> {text.points(change.score)}</span>}
      </div>
      {coverage !== undefined && (
        <div>
          <span lang="en">{coverage.detail}</span>
          {typeof change?.coverage === 'number' && (
            <span className="quiet"> {text.percentagePoints(change.coverage)}</span>
          )}
        </div>
      )}
    </>
  );
}

function Findings({ brief: { since, newFindings, scanChange } }: { readonly brief: Brief }) {
  if (since === null) return <span className="quiet">{text.firstRelease}</span>;
  return (
    <>
      {scanChange?.lost.map((kind) => (
        <div key={kind}>
          <StatusLabel kind="lost">{text.lostScan(kind, since.version)}</StatusLabel>
        </div>
      ))}
      <NewFindings found={newFindings} />
      {scanChange?.added.map((kind) => (
        <div key={kind} className="quiet">
          {text.addedScan(kind, since.version)}
        </div>
      ))}
    </>
  );
}

function NewFindings({ found }: { readonly found: Brief['newFindings'] }) {
  if (found === null) return <span className="quiet">{text.noScans}</span>;
  const { count, findings, unidentified } = found;
  return (
    <>
      {count === 0 ? (
        text.noNewFinding
      ) : (
        <Entries
          title={<StatusLabel kind="failed">{text.newFindings(count)}</StatusLabel>}
          count={findings.length}
          entries={withKeys(findings, ({ label }) => label).map(([key, { label }]) => (
            <span key={key} lang="en">
              {label}
            </span>
          ))}
        />
      )}
      {unidentified > 0 && <span className="quiet"> {text.unidentified(unidentified)}</span>}
    </>
  );
}

function Waived({ overrides }: { readonly overrides: Brief['overrides'] }) {
  if (overrides.length === 0) return <span className="quiet">{text.nothingWaived}</span>;
  return overrides.map((override) => (
    <div key={override.id}>
      <OverrideSummary override={override} />
    </div>
  ));
}

function OwnReview({ review }: { readonly review: Brief['ownReview'] }) {
  if (review === null) return <span className="quiet">{text.noReview}</span>;
  const { state, commitSha, submittedAt, counts, reason } = review;
  return (
    <>
      <StatusLabel kind={counts && state !== 'approved' ? 'failed' : 'neutral'}>
        {approvalsText.states[state]}
      </StatusLabel>{' '}
      {commitSha !== null && <Sha sha={commitSha} />} <RelativeTime date={submittedAt} />
      {reason !== null && (
        <div className="quiet" lang="en">
          {reason}
        </div>
      )}
    </>
  );
}

interface EntriesProps {
  readonly title: ReactNode;
  /** The number of all entries, of which only the first are listed. */
  readonly count: number;
  readonly entries: readonly ReactNode[];
}

/** A number of things, which lists the first of them when it is opened. */
function Entries({ title, count, entries }: EntriesProps) {
  if (entries.length === 0) return title;
  return (
    <details>
      <summary>{title}</summary>
      <ul>
        {withKeys(entries).map(([key, entry]) => (
          <li key={key}>{entry}</li>
        ))}
        {count > entries.length && <li className="quiet">{text.more(count - entries.length)}</li>}
      </ul>
    </details>
  );
}
